set -e
test "$(python3 -B check_handlers.py)" = "12 right"
git diff --numstat | grep -q '^12[[:space:]]12[[:space:]]handlers.py$'
