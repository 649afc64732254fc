with open("notes.txt", "rb") as file:
    found = file.read()
assert found == b"alpha\r\nBETA\ngamma\r\n  delta  \nlast", found
