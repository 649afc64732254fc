set -e
grep -q 'src/net/wire\.py:7\b' "$EVAL_ANSWER"
diff -r "$EVAL_TASK/project" .
