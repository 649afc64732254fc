def paint(text):
    return f"red: {text}"
