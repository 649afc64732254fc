printf 'alpha\r\nbeta\ngamma\r\n  delta  \nlast' > notes.txt
