set -e
grep -qF "$(cat issued)" "$EVAL_ANSWER"
! kill -0 "$(cat server.pid)" 2> "$HOME/kill" || exit 1
