set -e
grep -q 'the third line' "$EVAL_ANSWER"
! grep -q -e 'the first' -e 'the second' "$EVAL_ANSWER" || exit 1
