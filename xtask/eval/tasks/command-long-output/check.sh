set -e
test "$(cat src/unit77)" = amber
! sh build.sh | grep -q error: || exit 1
