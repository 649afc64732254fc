set -e
sh build.sh | grep -q '^build passed'
test "$(cat built)" = "axle hub wheel"
