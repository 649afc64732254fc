set -e
test -s index
grep -qw "$(wc -l < index)" "$EVAL_ANSWER"
test "$(cat site.ini)" = "language = en"
