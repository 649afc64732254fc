set -e
grep -qw "$(grep -rn TODO src --exclude-dir=vendor | wc -l)" "$EVAL_ANSWER"
test "$(find . -type f | wc -l)" = 150
