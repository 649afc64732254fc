set -e
cat > helpers.py <<'END'
# helpers.py: text


def shout(text):
    """In capitals."""
    return text.upper()


def whisper(text):
    """In small letters."""
    return text.lower()
END
cat > main.py <<'END'
from helpers import shout

print(shout("hello"))
END
git init -q .
git add .
git -c user.name=eval -c user.email=eval@example.org commit -q -m 'Begin'
