set -e
test "$(python3 -B main.py)" = HELLO
test ! -e helpers.py
head -1 lib/text.py | grep -q '^# lib/text.py'
git status --short | grep -q '^R'
