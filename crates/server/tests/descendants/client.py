"""A client that hides how it holds its connection. Arguments: port, token or "-", way. Prints the answer's status and code."""

import array
import ctypes
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

port, token, way = int(sys.argv[1]), sys.argv[2], sys.argv[3]
authorization = "" if token == "-" else f"Authorization: Bearer {token}\r\n"
target = os.environ.get("TARGET", "/who")
request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{authorization}Connection: close\r\n\r\n".encode()


def report(answer):
    head, _, body = answer.decode().partition("\r\n\r\n")
    try:
        body = json.loads(body)["error"]["code"]
    except ValueError:
        pass
    os.write(1, f"{head.split(' ')[1]} {body}\n".encode())


def read_all(connection):
    answer = b""
    while piece := connection.recv(65536):
        answer += piece
    return answer


def connect():
    source = (os.environ["SOURCE"], 0) if "SOURCE" in os.environ else None
    return socket.create_connection(("127.0.0.1", port), source_address=source)


def direct():
    connection = connect()
    connection.sendall(request)
    report(read_all(connection))


def orphaned(then=direct):
    """Two forks and a session of its own; the parents are gone before the request is sent."""
    gone, kept = os.pipe()
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    os.close(kept)
    # Ends when both parents have: they hold the other end.
    os.read(gone, 1)
    then()


def orphaned_in_a_namespace():
    """The same in a PID namespace below the server's own. The child of the process that enters it lives there."""
    new_user, new_pid = 0x10000000, 0x20000000

    def enter():
        if ctypes.CDLL(None).unshare(new_user | new_pid):
            os.write(1, b"no namespaces\n")
        elif namespaced := os.fork():
            os.waitpid(namespaced, 0)
        else:
            direct()

    orphaned(enter)


def undumpable():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    direct()


def send_later(connection):
    """Sends the request a fifth of a second from now: a corked socket holds back what does not fill a packet."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    connection.sendall(request)


def in_flight():
    """The descriptor is in no table while the request is judged: it waits in the queue of a Unix socket."""
    connection = connect()
    there, here = socket.socketpair()
    there.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [connection.fileno()]))])
    send_later(connection)
    connection.close()
    threading.Event().wait(1)
    _, ancillary, _, _ = here.recvmsg(1, socket.CMSG_SPACE(4))
    report(read_all(socket.socket(fileno=array.array("i", ancillary[0][2])[0])))


def closed_under_a_reader():
    """One thread waits in recv while another closes: the connection lives, and no table has it."""
    connection = connect()
    descriptor = connection.detach()
    recv = ctypes.CDLL(None, use_errno=True).recv
    buffer = (ctypes.c_char * 65536)()
    lengths = []
    reader = threading.Thread(target=lambda: lengths.append(recv(descriptor, buffer, 65536, 0)))
    reader.start()
    # Wait until the reader sleeps in the kernel.
    while open(f"/proc/self/task/{reader.native_id}/syscall").read().split()[0] not in ("45", "207"):
        pass
    connection = socket.socket(fileno=descriptor)
    send_later(connection)
    connection.close()
    reader.join()
    report(bytes(buffer[: lengths[0]]))


def left_behind():
    """The connection is left in the queue of somebody else's Unix socket, and the request comes when this process is gone."""
    connection = connect()
    queue = socket.socket(socket.AF_UNIX)
    queue.connect(os.environ["QUEUE"])
    queue.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [connection.fileno()]))])
    os.write(1, f"{connection.getsockname()[1]}\n".encode())
    send_later(connection)
    os._exit(0)


def fire_and_forget():
    connection = connect()
    connection.sendall(request)
    connection.close()


def leave_early(message, greeting=b""):
    """Connects from another address of this machine and is gone before the answer, many times over. What stands behind the
    request fills the server's buffer, so that it does not come to read the end of the connection first."""
    for attempt in range(400 if greeting else 40):
        connection = socket.socket()
        connection.bind((os.environ["SOURCE"], 0))
        connection.connect(("127.0.0.1", port))
        if greeting:
            connection.sendall(greeting)
            # The server's settings, and that it has seen ours: unread bytes would reset the connection.
            answer = b""
            while bytes([0, 0, 0, 4, 1, 0, 0, 0, 0]) not in answer:
                answer += connection.recv(65536) or sys.exit("the server has closed")
        # HTTP/2 looks for the end of the connection first, so there the request goes ahead.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, not greeting)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, bool(greeting))
        connection.sendall(message)
        if attempt % 2:
            # The connection is reset, so that the kernel forgets it at once.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def padded(head):
    """The request, and 15 KB of further ones."""
    head = f"{head} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{authorization}"
    further = f"GET /further HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    return (head + (upgrade if "/ws" in head else "") + "\r\n" + further * (15_000 // len(further))).encode()


def early_http():
    leave_early(padded("GET /headers"))


def early_websocket():
    leave_early(padded("GET /ws"))


def early_grpc():
    """HTTP/2 by hand: the preface, settings, the head of a call with every field spelled out, and its end."""

    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def field(name, value):
        # The length of a text in HPACK: seven bits, then the rest in groups of seven.
        def text(value):
            if len(value) < 127:
                return bytes([len(value)]) + value
            return bytes([127, len(value) - 127]) + value

        return b"\x00" + text(name.encode()) + text(value.encode())

    fields = [(":method", "POST"), (":scheme", "http"), (":path", "/lf.a2a.v1.A2AService/ListTasks")]
    fields += [(":authority", f"127.0.0.1:{port}"), ("content-type", "application/grpc"), ("te", "trailers")]
    fields += [("authorization", f"Bearer {token}")]
    head = frame(1, 5, 1, b"".join(field(*pair) for pair in fields))
    leave_early(head, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b""))


def other_session():
    """A session outside the server's tree: its own process, a supervisor below that, and below that a command. The command
    asks first, then the session's own process while the supervisor still runs."""
    first = os.getpid()
    if os.fork():
        os._exit(0)
    # The server's process has no child once it has collected the first one.
    while os.path.exists(f"/proc/{first}"):
        time.sleep(0.01)
    arguments = [sys.executable, "-Xsupervisor", "-c", sys.orig_argv[2], str(port), token, "supervise"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as supervisor:
        os.write(1, supervisor.stdout.readline())
        direct()


def supervise():
    """The command is a fork, so it has the supervisor's arguments."""
    if command := os.fork():
        os.waitpid(command, 0)
        sys.stdin.read()
    else:
        direct()


def flood():
    """Says nothing on hundreds of connections, and opens each anew that is closed."""
    closed = select.epoll()
    held = {}

    def hold():
        connection = connect()
        held[connection.fileno()] = connection
        closed.register(connection, select.EPOLLIN)

    for _ in range(400):
        hold()
    os.write(1, b"waiting\n")
    while True:
        for number, _ in closed.poll():
            closed.unregister(number)
            held.pop(number).close()
            hold()


def flood_undumpable():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    flood()


def wait_undumpable():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    wait()


def wait():
    os.write(1, b"waiting\n")
    signal.pause()


globals()[way]()
