def export(rows):
    return "\n".join(rows)
