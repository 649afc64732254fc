printf '[client]\r\ntimeout = 10\r\n\r\n[server]\r\ntimeout = 10\r\n' > client.ini
