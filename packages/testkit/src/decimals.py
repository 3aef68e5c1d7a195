# What values the decimals in a list of texts are: an int if there is no fraction; otherwise a float if the float prints the
# same number, else text with all digits.
import decimal
import json
import sys

decimal.getcontext().prec = 100


def value(text):
    number = decimal.Decimal(text) + 0
    if number.as_tuple().exponent >= 0:
        return int(number)
    same = decimal.Decimal(repr(float(number))) == number
    return float(number) if same else format(number, 'f')


print(json.dumps([value(text) for text in json.load(sys.stdin)]))
