grep -qw 11 "$EVAL_ANSWER"
