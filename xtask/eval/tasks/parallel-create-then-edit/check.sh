set -e
test "$(python3 -B greet.py)" = "hello world"
test "$(python3 -B greet.py Ann)" = "hello Ann"
