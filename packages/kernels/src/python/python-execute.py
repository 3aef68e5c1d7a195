# The part of the Python driver that executes the text of a cell and publishes the value of its last expression. It is
# the same wherever Python runs: its users define `SCOPE`, `part` and `emit`.

import sys
from _json import encode_basestring_ascii as quote

ALLOW_AWAIT = 0x2000
FUTURES = 0x1FE0000


def execute(code, name):
    codes, shows = pieces(code, name)
    value = evaluate(codes)
    if shows and value is not None:
        publish(value)


# What to evaluate, and whether the last value is shown.
def pieces(code, name):
    if 'linecache' in sys.modules:
        remember(name, code)
    SOURCES[name] = code
    try:
        tree = compile(code, name, 'exec', ALLOW_AWAIT | 0x400, True)
    except SyntaxError as e:
        part('failure')
        explain_magics(code, e)
        raise
    last = tree.body.pop() if tree.body and type(tree.body[-1]).__name__ == 'Expr' else None
    first = compile(tree, name, 'exec', ALLOW_AWAIT, True)
    if last is None:
        return [first], False
    import _ast

    flags = ALLOW_AWAIT | first.co_flags & FUTURES
    final = compile(_ast.Expression(last.value), name, 'eval', flags, True)
    return [first, final], not silenced(code, last)


# The cells' text, for tracebacks; their code, for names that their functions may reach.
SOURCES, CODES = {}, []


# Python computes wrong columns for a last line without a line ending.
def remember(name, code):
    lines = [line + '\n' for line in lines_of(code)]
    sys.modules['linecache'].cache[name] = (len(code), None, lines, name)


# Splits lines as the parser does: unlike splitlines(), not at form feeds and Unicode separators.
def lines_of(code):
    return code.replace('\r\n', '\n').replace('\r', '\n').split('\n')


def silenced(code, last):
    line = lines_of(code)[last.end_lineno - 1].encode()
    return line[last.end_col_offset :].lstrip().startswith(b';')


# The event loop for cells that await, once it exists. In pages, it is the page's own.
LOOPS = []


def evaluate(codes):
    CODES.extend(codes)
    if any(code.co_flags & 0x80 for code in codes):
        part('failure')
        return in_loop(codes)
    for code in codes:
        value = eval(code, SCOPE)
    return value


PLAIN = {int, float, bool, str, bytes, complex}


def publish(value):
    if type(value) in PLAIN:
        text = repr(value)
        if len(text) > 1 << 20:
            part('display')
            text = shortened(text)
        return emit('execute_result', '{"text/plain":%s}' % quote(text))
    part('display')
    show('execute_result', value, None, False)
