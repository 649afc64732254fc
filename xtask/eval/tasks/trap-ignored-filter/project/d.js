var deadline = 1
