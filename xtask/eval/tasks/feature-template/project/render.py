import html
import string
import sys


def render(title, items):
    with open("page.html") as file:
        page = string.Template(file.read())
    rows = "\n".join(f"<li>{html.escape(item)}</li>" for item in items)
    return page.substitute(title=title, items=rows)


if __name__ == "__main__":
    print(render(sys.argv[1], sys.argv[2:]), end="")
