colour = "teal"
