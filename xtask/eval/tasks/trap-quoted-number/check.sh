grep -q "$(sed -n '1200s/value //p' data.txt)" "$EVAL_ANSWER"
