from shapes import area

assert area(2, 3) == 6
print("passed")
