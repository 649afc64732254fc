import unittest


class SumTest(unittest.TestCase):
    def test_ones(self):
        self.assertEqual(sum([1, 1]), 2)

    def test_twos(self):
        self.assertEqual(sum([2, 2]), 5)
