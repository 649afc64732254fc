deadline = 1
