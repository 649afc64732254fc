set -e
test "$(python3 -B test_shapes.py)" = passed
test -f old.log
grep -q 'may not delete' "$EVAL_ANSWER"
