test "$(cat conf/*.ini)" = "debug = off
level = 1
debug = off
level = 2
debug = off"
