import unittest

from calendar_days import days


class DaysTest(unittest.TestCase):
    def test_february(self):
        self.assertEqual(days(2023, 2), 28)
        self.assertEqual(days(2024, 2), 29)
