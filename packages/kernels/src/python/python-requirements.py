# Prints a JSON list of [requirement, what is found instead]. Versions are compared number by number.

import json
import os
import platform
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


def python_version(info):
    text = '%d.%d.%d' % info[:3]
    return text if info.releaselevel == 'final' else text + info.releaselevel[0] + str(info.serial)


VERSIONS = {
    'python_version': '%d.%d' % sys.version_info[:2],
    'python_full_version': python_version(sys.version_info),
    'implementation_version': python_version(sys.implementation.version),
}
MACHINE = {
    **VERSIONS,
    'os_name': os.name,
    'sys_platform': sys.platform,
    'platform_machine': platform.machine(),
    'platform_python_implementation': platform.python_implementation(),
    'platform_release': platform.release(),
    'platform_system': platform.system(),
    'platform_version': platform.version(),
    'implementation_name': sys.implementation.name,
    # A notebook is never requested with an extra.
    'extra': '',
}
WORD = re.compile(r"""\s*(===|==|!=|<=|>=|~=|<|>|\(|\)|[a-z_]+|'[^']*'|"[^"]*")""")


# A condition as in PEP 508: comparisons, `and`, `or`, parentheses. Raises ValueError if it is invalid.
class Marker:
    def __init__(self, text):
        self.words = WORD.findall(text)
        if WORD.sub('', text).strip():
            raise ValueError(text)

    def holds(self):
        result = self.either()
        if self.words:
            raise ValueError(self.words[0])
        return result

    def take(self, *wanted):
        found = bool(self.words) and self.words[0] in wanted
        return self.words.pop(0) if found else None

    def either(self):
        result = self.both()
        while self.take('or'):
            result = self.both() or result
        return result

    def both(self):
        result = self.one()
        while self.take('and'):
            result = self.one() and result
        return result

    def one(self):
        if not self.take('('):
            return self.comparison()
        result = self.either()
        if not self.take(')'):
            raise ValueError('(')
        return result

    def comparison(self):
        left, is_version = self.value()
        operator = self.take('===', '==', '!=', '<=', '>=', '~=', '<', '>', 'in', 'not')
        if operator is None or operator == 'not' and not self.take('in'):
            raise ValueError(left)
        right, also = self.value()
        if operator in ('in', 'not'):
            return (left in right) == (operator == 'in')
        if is_version or also:
            return (
                compares(left, operator, right) if is_version else compares(right, MIRRORED[operator], left)
            )
        return as_text(left, operator, right)

    def value(self):
        word = self.words.pop(0) if self.words else ''
        if word[:1] in ('"', "'"):
            return word[1:-1], False
        if word not in MACHINE:
            raise ValueError(word)
        return MACHINE[word], word in VERSIONS


MIRRORED = {'<': '>', '>': '<', '<=': '>=', '>=': '<=', **{o: o for o in ('==', '===', '!=', '~=')}}


def compares(have, operator, want):
    if not re.match(r'\d', want):
        raise ValueError(want)
    return holds(have, operator, want)


def as_text(left, operator, right):
    if operator == '~=':
        raise ValueError(operator)
    return {
        '==': left == right,
        '===': left == right,
        '!=': left != right,
        '>=': left >= right,
        '<=': left <= right,
        '>': left > right,
        '<': left < right,
    }[operator]


# Why the machine does not meet a requirement, or None.
def unmet(requirement):
    text, _, marker = requirement.partition(';')
    match = re.match(r'^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$', text.split('#')[0].strip())
    if not match:
        return 'it is not a valid requirement'
    condition = marker.split('#')[0].strip()
    try:
        if condition and not Marker(condition).holds():
            return None
    except ValueError:
        return 'its condition after ";" is not valid'
    return wrong_version(match.group(1), match.group(2))


def wrong_version(name, wanted):
    try:
        have = version(name)
    except PackageNotFoundError:
        return 'it is not installed'
    found = re.findall(r'(===|==|!=|>=|<=|~=|>|<)\s*([^,\s]+)', wanted)
    return None if all(holds(have, *each) for each in found) else have + ' is installed'


answers = [[requirement, unmet(requirement)] for requirement in json.loads(sys.argv[1])]
print(json.dumps([answer for answer in answers if answer[1] is not None]))
