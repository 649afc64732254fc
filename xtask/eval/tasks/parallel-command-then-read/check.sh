set -e
grep -qw 5050 "$EVAL_ANSWER"
