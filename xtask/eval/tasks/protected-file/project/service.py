import os

url = os.environ["DATABASE_URL"]
