def area(width, height):
    return width * height / 2
