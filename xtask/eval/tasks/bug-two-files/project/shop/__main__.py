from .order import Order

order = Order([("pen", "1.10", 3)], discount=10)
total = order.total()
print(f"total: {total // 100}.{total % 100:02}")
