"""A process that keeps whatever descriptor it is sent, as a message bus does. Argument: its socket."""

import socket
import sys

listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print("ready", flush=True)
kept = []
while True:
    connection, _ = listener.accept()
    _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(4))
    kept.append(ancillary)
    connection.sendall(b"k")
