def cents(text):
    """The cents of a price such as "1.10"."""
    return int(float(text) * 100)
