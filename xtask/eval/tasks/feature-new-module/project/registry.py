from converters import celsius

CONVERTERS = {
    "c-f": celsius.convert,
}
