import unittest

from pager import page, page_count


class PagerTest(unittest.TestCase):
    def test_first_page(self):
        self.assertEqual(page([1, 2, 3], 1, 2), [1, 2])

    def test_last_page_is_not_full(self):
        self.assertEqual(page_count([1, 2, 3], 2), 2)
