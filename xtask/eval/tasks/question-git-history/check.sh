set -e
grep -qw Mira "$EVAL_ANSWER"
grep -q "$(git log --author=Mira --format=%h -1)" "$EVAL_ANSWER"
test -z "$(git status --short)"
test "$(git rev-list --count HEAD)" = 4
