test "$(cat count.txt)" = "4 lines"
