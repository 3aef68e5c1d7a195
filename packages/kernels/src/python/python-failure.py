# The part of the Python driver for cells that fail or await: tracebacks that show the cell's own lines and none of the
# driver's, syntax that belongs to IPython and not to Python, the event loop.

import linecache  # noqa: F401 (remember() finds it in sys.modules)
import sys
import traceback
from _json import encode_basestring_ascii as quote

for name_, code_ in SOURCES.items():
    remember(name_, code_)

TRANSIENT = (ConnectionError, TimeoutError, BlockingIOError, InterruptedError)
TRANSIENT_NAMES = {
    'ConnectionError',
    'ConnectTimeout',
    'ReadTimeout',
    'Timeout',
    'ProxyError',
    'NewConnectionError',
    'ConnectError',
    'IncompleteRead',
    'RemoteDisconnected',
}
TRY_AGAIN = -3


def describe(e):
    chain = causes(e)
    policy = next((c for c in chain if isinstance(c, PolicyError)), None)
    shown = policy or e
    error = '{"output_type":"error","ename":%s,"evalue":%s,"traceback":[%s]}' % (
        quote(type(shown).__name__),
        quote(message(shown)[:10000]),
        ','.join(map(quote, formatted(e))),
    )
    transient = policy is None and any(is_transient(c) for c in chain)
    return ',"error":%s,"transient":%s,"policy":%s' % (
        error,
        str(transient).lower(),
        str(policy is not None).lower(),
    )


def message(e):
    if isinstance(e, SystemExit):
        return 'the cell called sys.exit(%s); the kernel continues' % ('' if e.code is None else repr(e.code))
    if isinstance(e, MemoryError):
        return out_of_memory(e)
    try:
        return str(e)
    except Exception:
        return '<its text cannot be made>'


def out_of_memory(e):
    if Limits.memory is not None:
        return 'out of memory: the cell may use memory_mb=%s' % Limits.memory
    return ': '.join(['out of memory', *map(str, e.args[:1])])


def is_transient(e):
    if isinstance(e, (PermissionError, FileNotFoundError)):
        return False
    again = type(e).__name__ == 'gaierror' and e.args[:1] == (TRY_AGAIN,)
    return isinstance(e, TRANSIENT) or again or type(e).__name__ in TRANSIENT_NAMES


def causes(e):
    seen = []
    while isinstance(e, BaseException) and not any(e is s for s in seen):
        seen.append(e)
        e = e.__cause__ or getattr(e, 'reason', None) or e.__context__
    return seen


MAX_LINES = 200


def formatted(e):
    try:
        shown = traceback.TracebackException.from_exception(e)
        strip(shown)
        lines = ''.join(shown.format()).rstrip('\n').split('\n')
    except Exception:
        lines = [type(e).__name__]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES // 2 : -MAX_LINES // 2] = ['  ...']
    return [line[:2000] for line in lines]


def strip(shown):
    at, seen = [shown], set()
    while at:
        one = at.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack = traceback.StackSummary.from_list([f for f in one.stack if f.filename not in DRIVER_FILES])
        at += [one.__cause__, one.__context__, *(getattr(one, 'exceptions', None) or ())]


DRIVER_FILES = ('<string>', '<woof>')


# Only a statement can be IPython syntax: a line of a string or expression may begin with the same characters.
def explain_magics(code, error):
    number, word = first_magic(code)
    if word is not None and number <= error.lineno:
        shell = word.startswith('!') or word[:6] in ('%%bash', '%%sh')
        use = 'a bash cell, or subprocess' if shell else 'plain Python'
        raise SyntaxError(
            'line %d: %s is an IPython command, not Python; use %s' % (number, word, use)
        ) from None
    if error.text and error.text[: error.offset].endswith('?'):
        raise SyntaxError('"?" for help is an IPython command, not Python; use help()') from None


def first_magic(code):
    import io
    import tokenize

    begins = True
    blank = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT)
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if begins and token.string in ('%', '!'):
                line, column = token.start
                return line, token.line[column:].split()[0]
            if token.type not in blank:
                begins = token.type == tokenize.NEWLINE
    except (tokenize.TokenError, SyntaxError):
        pass
    return 0, None


async def both(codes):
    for code in codes:
        value = eval(code, SCOPE)
        if code.co_flags & 0x80:
            value = await value
    return value


def in_loop(codes):
    import asyncio

    if not LOOPS:
        LOOPS.append(asyncio.new_event_loop())
        asyncio.set_event_loop(LOOPS[0])
    return LOOPS[0].run_until_complete(both(codes))


# Tasks that a cell left running must not continue during another cell.
def cancel_tasks():
    import asyncio

    tasks = asyncio.all_tasks(LOOPS[0])
    for task in tasks:
        task.cancel()
    if tasks:
        LOOPS[0].run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


# Threads keep the permissions of the cell that started them, and the next cell has its own permissions.
def renew_executor():
    threads = sys.modules.get('concurrent.futures.thread')
    if threads is not None:
        LOOPS[0].set_default_executor(threads.ThreadPoolExecutor(thread_name_prefix='asyncio'))
