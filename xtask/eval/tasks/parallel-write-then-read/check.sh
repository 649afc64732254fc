set -e
grep -q 'was 1 and is 8123' "$EVAL_ANSWER"
grep -qx 'port = 8123' service.conf
