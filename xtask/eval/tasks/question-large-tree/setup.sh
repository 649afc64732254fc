set -e
python3 - <<'END'
import os

for number in range(3000):
    folder = f"src/pkg{number % 100}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/mod{number}.py", "w") as file:
        file.write(f"name = 'mod{number}'\n# see request_budget\n" * 5)
        if number == 1731:
            file.write("request_budget = 48611\n")
for number in range(50):
    os.makedirs("build/copy", exist_ok=True)
    with open(f"build/copy/mod{number}.py", "w") as file:
        file.write("request_budget = 1\n")
with open(".gitignore", "w") as file:
    file.write("build/\n")
END
git init -q .
