set -e
grep -qw 37 "$EVAL_ANSWER"
grep -q 'signature check' "$EVAL_ANSWER"
