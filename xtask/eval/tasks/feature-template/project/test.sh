python3 -B render.py Fruit apple pear 'plum & co' | diff - expected.html && echo same
