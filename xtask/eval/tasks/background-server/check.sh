set -e
test -s issued
grep -qF "$(cat issued)" "$EVAL_ANSWER"
! python3 fetch.py "$(cat server.port)" 2> "$HOME/refused" || exit 1
