# The part of the driver that turns a result into JSON, and an exception into what the host reports.
#
# Numbers that JSON cannot represent (NaN, infinity) become null, as in JavaScript, and a line on stderr says so. A
# value that is not JSON is refused with its type and its path.

import json
import sys
import traceback


class NotJson(Exception):
    pass


def to_json(value):
    notes = {'nan': 0}
    try:
        text = json.dumps(value, allow_nan=False, separators=(',', ':'))
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(plain(value, 'result', notes, ()), separators=(',', ':'))
    if notes['nan']:
        print(
            'woof: %d numbers in the result were NaN or infinite and became null' % notes['nan'],
            file=sys.stderr,
        )
    return text


def plain(value, path, notes, above):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        # 4300 digits, which is also the limit of int() and str().
        if value.bit_length() > 14284:
            raise NotJson(path + ' is an integer of %d bits; return it as text' % value.bit_length())
        return value
    if isinstance(value, float):
        if value - value == 0:
            return value
        notes['nan'] += 1
        return None
    if len(above) > 200:
        raise NotJson(path[:80] + '... is nested deeper than 200 levels')
    if id(value) in above:
        raise NotJson(path + ' contains itself')
    inner = above + (id(value),)
    if isinstance(value, dict):
        for key in value:
            if not (key is None or isinstance(key, (str, int, float))):
                raise NotJson(
                    'a key of %s is of type %s; JSON has text keys only' % (path, type(key).__name__)
                )
        return {k: plain(v, '%s[%r]' % (path, k), notes, inner) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, '%s[%d]' % (path, i), notes, inner) for i, v in enumerate(value)]
    raise NotJson(
        '%s is of type %s, which is not JSON; convert it to text, a number, a list or a dict'
        % (path, full_name(type(value)))
    )


def full_name(kind):
    return kind.__qualname__ if kind.__module__ == 'builtins' else kind.__module__ + '.' + kind.__qualname__


def describe(e, name):
    chain = list(causes(e))
    policy = next((c for c in chain if isinstance(c, PolicyError)), None)
    e = policy or e
    text = str(e)
    if isinstance(e, SyntaxError) and e.filename == '<code>':
        text = str(e.msg)
    if isinstance(e, SystemExit):
        text = 'the code called sys.exit(%s); let the code end, or return a value' % (
            '' if e.code is None else repr(e.code)
        )
    return {
        'kind': 'error',
        'type': type(e).__name__,
        'message': text[:10000],
        'traceback': formatted(chain[0])[-60000:],
        'line': next((n for n in (line_of(c, name) for c in [e, *chain]) if n is not None), None),
        'policy': policy is not None,
        'transient': any(isinstance(c, (ConnectionError, TimeoutError, BlockingIOError)) for c in chain),
    }


def causes(e):
    seen = []
    while isinstance(e, BaseException) and e not in seen:
        seen.append(e)
        e = e.__cause__ or getattr(e, 'reason', None) or e.__context__
    return seen


def line_of(e, name):
    if isinstance(e, SyntaxError) and e.filename == name:
        return e.lineno
    lines = [line for frame, line in traceback.walk_tb(e.__traceback__) if frame.f_code.co_filename == name]
    return lines[-1] if lines else None


def formatted(e):
    shown = traceback.TracebackException.from_exception(e)
    at, seen = [shown], set()
    while at:
        one = at.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack = traceback.StackSummary.from_list([f for f in one.stack if f.filename != '<woof>'])
        at += [one.__cause__, one.__context__]
    return ''.join(shown.format())
