width = 80
