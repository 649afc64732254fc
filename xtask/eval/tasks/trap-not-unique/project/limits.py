class Download:
    limit = 100


class Upload:
    limit = 100
