with open("menu.txt", "rb") as file:
    found = file.read()
assert found == "Käse 4.50\ncoffee 3.20\nCrème brûlée 5.00\n".encode("latin-1"), found
