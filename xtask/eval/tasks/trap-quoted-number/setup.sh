python3 -c 'import hashlib; open("data.txt", "w").write("".join(f"value {hashlib.md5(str(n).encode()).hexdigest()}\n" for n in range(1500)))'
