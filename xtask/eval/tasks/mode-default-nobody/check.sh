set -e
grep -q test_twos "$EVAL_ANSWER"
grep -q 'not allowed' "$EVAL_ANSWER"
diff -r "$EVAL_TASK/project" .
