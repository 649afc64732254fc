with open("client.ini", "rb") as file:
    found = file.read()
assert found == b"[client]\r\ntimeout = 30\r\nretries = 2\r\n\r\n[server]\r\ntimeout = 10\r\n", found
