from src.net.wire import parse_header

print(parse_header("a: b"))
