python3 - <<'END'
import random

seed = random.SystemRandom().randrange(10**12)
with open("drawn", "a") as file:
    print(seed, file=file)
numbers = random.Random(seed)
for person in range(1, 40001):
    print(f"person {person}: {numbers.randrange(10**9)}")
END
