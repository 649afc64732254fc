python3 -c 'import json; open("bundle.json", "w").write(json.dumps({f"timeout_{n}": n % 97 for n in range(25000)}))'
