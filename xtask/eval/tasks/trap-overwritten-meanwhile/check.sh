test "$(cat todo.txt)" = "answer mail
buy milk
call the bank
write report"
