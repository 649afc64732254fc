def fetch(send, settings):
    """Send a request, again if it fails."""
    for attempt in range(3 + 1):
        try:
            return send()
        except OSError as error:
            last = error
    raise last
