print("no deadline")
