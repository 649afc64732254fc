test "$(cat published)" = 2
