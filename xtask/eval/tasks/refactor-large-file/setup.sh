set -e
python3 - <<'END'
groups = ["order", "invoice", "payment", "refund", "stock", "mail"]
with open("handlers.py", "w") as file:
    for number in range(1, 101):
        for group in groups:
            if group == "invoice" and number > 12:
                continue
            file.write(f'def {group}_{number}(text):\n    """{group.title()} {number}."""\n')
            file.write(f'    return "{group} {number}:" + text\n\n\n')
END
git init -q .
git add .
git -c user.name=eval -c user.email=eval@example.org commit -q -m 'Begin'
