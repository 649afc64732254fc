grep -q '^There are 3 files' "$EVAL_ANSWER"
