set -e
test "$(./todo count)" = 2
printf 'x done\n' > items.txt
test "$(./todo count)" = 0
test "$(./todo list)" = "x done"
./todo help | grep -q '^count:'
