printf 'K\344se 4.50\ncoffee 2.90\nCr\350me br\373l\351e 5.00\n' > menu.txt
