import configparser


def load(path):
    """The settings of a file, with defaults."""
    parser = configparser.ConfigParser()
    parser.read(path)
    section = parser["client"]
    timeout = section.getfloat("timeout", 1.0)
    return {"timeout": timeout}
