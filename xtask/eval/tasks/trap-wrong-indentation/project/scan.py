TEXT = "a\n\n# note\nb\n"


class Scanner:
    def count(self, text):
        count = 0
        for line in text.splitlines():
            if line.strip():
                count += 1
        return count


print(Scanner().count(TEXT))
