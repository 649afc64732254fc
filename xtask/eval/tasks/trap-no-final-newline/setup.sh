printf '1.2.9' > VERSION
