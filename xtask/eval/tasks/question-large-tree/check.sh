set -e
grep -q 'pkg31/mod1731\.py' "$EVAL_ANSWER"
grep -qw 48611 "$EVAL_ANSWER"
! grep -q build/ "$EVAL_ANSWER" || exit 1
