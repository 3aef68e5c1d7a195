import json
import re
import sys
from importlib.metadata import version, PackageNotFoundError


def parts(text):
    return [int(word) for word in re.findall(r'\d+', text.split('+')[0])]


def padded(a, b):
    size = max(len(a), len(b))
    return a + [0] * (size - len(a)), b + [0] * (size - len(b))


def holds(have, operator, want):
    if want.endswith('.*'):
        prefix = parts(want[:-2])
        same = parts(have)[: len(prefix)] == prefix
        return same if operator == '==' else not same
    a, b = padded(parts(have), parts(want))
    if operator == '~=':
        prefix = parts(want)[:-1]
        return a >= b and parts(have)[: len(prefix)] == prefix
    return {
        '==': a == b,
        '===': have == want,
        '!=': a != b,
        '>=': a >= b,
        '<=': a <= b,
        '>': a > b,
        '<': a < b,
    }[operator]


missing = []
for requirement in json.loads(sys.argv[1]):
    text = requirement.split(';')[0].split('#')[0].strip()
    match = re.match(r'^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$', text)
    if not match:
        missing.append([requirement, 'it is not a valid requirement'])
        continue
    try:
        have = version(match.group(1))
    except PackageNotFoundError:
        missing.append([requirement, 'it is not installed'])
        continue
    for operator, want in re.findall(r'(===|==|!=|>=|<=|~=|>|<)\s*([^,\s]+)', match.group(2)):
        if not holds(have, operator, want):
            missing.append([requirement, have + ' is installed'])
            break
print(json.dumps(missing))
