set -e
python3 - <<'END'
import os

for number in range(150):
    folder = "src/vendor" if number % 5 == 0 else f"src/part{number % 7}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/file{number}.py", "w") as file:
        for line in range(40):
            file.write(f"x{line} = {line}" + ("  # TODO: later\n" if (line * number) % 13 == 5 else "\n"))
END
