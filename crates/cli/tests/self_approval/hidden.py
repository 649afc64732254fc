"""What an approved command would do to hide that a connection is its own: make itself undumpable, or become another user.
Arguments: port, token, user to become or "-"."""

import ctypes
import os
import socket
import sys

port, token, other_user = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def ask(connection):
    head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    connection.sendall(f"GET /tasks HTTP/1.1\r\n{head}".encode())
    return connection.recv(65536).decode().split(" ")[1]


def connect():
    # Bytes, because text would import a module, which another user may not be able to read.
    return socket.create_connection((b"127.0.0.1", port))


def hide():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def undumpable():
    hide()
    return ask(connect())


def another_user():
    os.setuid(int(other_user))
    return ask(connect())


def in_a_child(attempt):
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            status = attempt()
        except Exception as error:
            status = repr(error)
        os.write(writing, status.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        status = answer.read()
    os.wait()
    return f"{attempt.__name__}: {status}\n"


told = in_a_child(undumpable)
if other_user != "-":
    told += in_a_child(another_user)
with open("result.txt", "w") as result:
    result.write(told)
# Stay, and go on hiding, until the test has been served meanwhile.
hide()
open("hold").read()
