import sys
import urllib.request

print(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/token", timeout=5).read().decode())
