set -e
grep -qw 7443 "$EVAL_ANSWER"
! grep -qw -e 8080 -e 9000 "$EVAL_ANSWER" || exit 1
diff -r "$EVAL_TASK/project" .
