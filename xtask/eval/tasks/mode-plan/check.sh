set -e
grep -q lru_cache "$EVAL_ANSWER"
diff -r "$EVAL_TASK/project" .
