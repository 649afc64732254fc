import handlers

right = [n for n in range(1, 13) if getattr(handlers, f"invoice_{n}")("x") == f"inv:invoice {n}:x"]
print(len(right), "right")
