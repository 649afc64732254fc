# © Käthe Müller
import re


def slug(text):
    """A name for an address."""
    # Größe → gr-e: hier fehlen die Umlaute
    text = text.lower()
    return re.sub("[^a-z0-9]+", "-", text).strip("-")
