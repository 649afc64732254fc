import limits

assert (limits.Upload.limit, limits.Download.limit) == (200, 100)
