set -e
mkdir "from here"
echo 1 > "from here/a b.txt"
echo 2 > "from here/*.txt"
echo 3 > "from here/plain"
sh backup.sh "from here" "to there"
diff -r "from here" "to there"
test ! -e out
