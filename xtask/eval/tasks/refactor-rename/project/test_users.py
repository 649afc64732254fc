import unittest

from jobs.mail import address
from users import fetch_usr
from views import title


class UsersTest(unittest.TestCase):
    def test_all(self):
        self.assertEqual(fetch_usr(1)["name"], "Ann")
        self.assertEqual(title(1), "Ann <ann@example.org>")
        self.assertEqual(address(1), "ann@example.org")
