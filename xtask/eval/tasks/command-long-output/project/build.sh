python3 - <<'END'
for number in range(60000):
    print(f"note: unit{number % 100} line {number}: nothing to say about this line of this unit, as so often")
    if number == 31077:
        with open("src/unit77") as file:
            if file.read() != "amber\n":
                print("error: src/unit77 line 1: expected amber")
END
