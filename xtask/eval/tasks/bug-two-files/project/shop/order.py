from .price import cents


class Order:
    def __init__(self, lines, discount):
        self.lines = lines
        self.discount = discount

    def total(self):
        """The price in cents, after the discount in percent."""
        total = sum(cents(price) * count for _, price, count in self.lines)
        return total * (100 + self.discount) // 100
