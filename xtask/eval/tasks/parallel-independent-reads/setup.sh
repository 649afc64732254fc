python3 - <<'END'
import os
import random

os.mkdir("parts")
for name, number in zip("abcde", random.sample(range(1000, 10000), 5)):
    with open(f"parts/{name}", "w") as file:
        file.write(f"number {number}\n")
END
