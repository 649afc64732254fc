grep -qw 2 "$EVAL_ANSWER"
