import http.server
import os
import secrets
import threading

TOKEN = f"token-{secrets.token_hex(8)}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/token" else 404)
        self.end_headers()
        if self.path == "/token":
            with open("issued", "w") as file:
                file.write(TOKEN)
            self.wfile.write(TOKEN.encode())


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
for name, number in (("pid", os.getpid()), ("port", server.server_port)):
    with open(f"server.{name}", "w") as file:
        file.write(str(number))
# It never stays behind, whatever becomes of the task.
threading.Timer(40, os._exit, [1]).start()
print("listening on", server.server_port, flush=True)
server.serve_forever()
