"""What an approved command would do to approve the next one: ask the session's own endpoint, over every transport, with and
without the token, from a child and from an orphan in a session of its own. Arguments: port, gRPC port, token."""

import os
import socket
import subprocess
import sys

port, grpc_port, token = sys.argv[1], sys.argv[2], sys.argv[3]


def ask(request):
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer and (piece := connection.recv(65536)):
            answer += piece
    return answer.decode().split(" ")[1]


def attempts(who):
    for name, line in [("no token", ""), ("token", f"Authorization: Bearer {token}\n")]:
        head = f"Host: 127.0.0.1:{port}\n{line}"
        body = '{"jsonrpc": "2.0", "id": 1, "method": "tasks/list", "params": {}}'
        rpc = f"POST / HTTP/1.1\n{head}Content-Type: application/json\nContent-Length: {len(body)}\n\n{body}"
        yield f"{who}, {name}, json-rpc: {ask(rpc)}"
        yield f"{who}, {name}, http: {ask(f'GET /tasks HTTP/1.1{chr(10)}{head}{chr(10)}')}"
        key = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
        yield f"{who}, {name}, websocket: {ask(f'GET /ws HTTP/1.1{chr(10)}{head}{key}{chr(10)}')}"
        url = f"http://127.0.0.1:{grpc_port}/lf.a2a.v1.A2AService/ListTasks"
        curl = ["curl", "-s", "--http2-prior-knowledge", "-D", "-", "-H", "Content-Type: application/grpc", "-H", "TE: trailers"]
        curl += ["-H", line.strip()] if line else []
        # Without a body: a refusal that comes before one has been sent may reach curl after the reset of its stream.
        told = subprocess.run(curl + ["-X", "POST", url], capture_output=True).stdout.decode()
        status = [part.split(": ")[1].strip() for part in told.splitlines() if part.startswith("grpc-status")]
        yield f"{who}, {name}, grpc: {' '.join(status)}"


def orphan(lines):
    """Calls attempts in a process whose parents are gone."""
    if os.fork() == 0:
        os.setsid()
        parent = os.getpid()
        if os.fork() == 0:
            while os.getppid() == parent:
                pass
            with os.fdopen(lines, "w") as out:
                out.write("".join(line + "\n" for line in attempts("orphan")))
        os._exit(0)
    os.wait()


told = "".join(line + "\n" for line in attempts("child"))
reading, writing = os.pipe()
orphan(writing)
os.close(writing)
with os.fdopen(reading) as lines:
    told += lines.read()
with open("result.txt", "w") as result:
    result.write(told)
# Stay until the test has been served meanwhile.
open("hold").read()
