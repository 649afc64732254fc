sleep 0.3
mkdir -p out
seq 1 100 | awk '{n += $1} END {print "total: " n}' > out/report.txt
