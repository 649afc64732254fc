python3 -c 'open("strings.txt", "wb").write(b"\xff\xfe" + "title = Plan\r\nauthor = K\xe4the\r\n".encode("utf-16-le"))'
