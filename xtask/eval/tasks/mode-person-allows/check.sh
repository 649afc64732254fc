set -e
test "$(python3 -B check_ports.py)" = "all moved"
grep -q 'All five' "$EVAL_ANSWER"
