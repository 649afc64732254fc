import unittest

from registry import CONVERTERS


class CelsiusTest(unittest.TestCase):
    def test_boiling(self):
        self.assertEqual(CONVERTERS["c-f"](100), 212)
