set -e
printf 'class Queue:\n\tdef __init__(self):\n\t\tself.items = []\n\n\tdef put(self, item):\n\t\tself.items.append(item)\n\n\tdef take(self):\n\t\treturn self.items.pop(0)\n' > jobs.py
git init -q .
git add .
git -c user.name=eval -c user.email=eval@example.org commit -q -m 'Begin'
