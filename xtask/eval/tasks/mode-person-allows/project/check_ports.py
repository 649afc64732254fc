import ports

found = [ports.HTTP, ports.HTTPS, ports.SSH, ports.SMTP, ports.DNS]
print("all moved" if found == [10080, 10443, 10022, 10025, 10053] else found)
