with open("strings.txt", "rb") as file:
    found = file.read()
assert found == b"\xff\xfe" + "title = Planner\r\nauthor = Käthe\r\n".encode("utf-16-le"), found
