# The part of the Python driver that every cell needs: the channel, the streams, the audit hook.
#
# Start-up time matters, so it imports only built-in modules (`_signal` instead of `signal`, no `json`: the host's JSON
# text is a Python expression once true, false and null are defined). Rarely needed code is in further parts.
#
# The channel moves to a descriptor with a random number, closed on exec and in forked children. While a cell runs, the
# kernel turns any byte on the channel into a signal (O_ASYNC), so that an interrupt needs no thread.

import _signal
import _thread
import fcntl
import io
import os
import select
import sys


class Protocol:
    n, token, marks, pending = 0, '', 0, b''
    running = writing = interrupted = importing = False


P = Protocol()


def private(fd):
    base = 100 + int.from_bytes(os.urandom(2), 'big') % 700
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, base)


CHANNEL, OUT, ERR = private(3), private(1), private(2)
os.close(3)
PID = os.getpid()
LOCK = _thread.RLock()


def in_child():
    P.running, P.token = False, ''
    for fd in (CHANNEL, OUT, ERR):
        os.close(fd)


os.register_at_fork(before=lambda: flush_all(), after_in_child=in_child)


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


# No interrupt and no other thread may split what the host reads as one unit.
class Undivided:
    def __enter__(self):
        LOCK.acquire()
        P.writing = True

    def __exit__(self, *_):
        P.writing = False
        LOCK.release()
        if P.interrupted:
            P.interrupted = False
            raise KeyboardInterrupt


UNDIVIDED = Undivided()


def send(kind, fields):
    write_all(CHANNEL, ('{"n":%d,"token":"%s","kind":"%s"%s}\n' % (P.n, P.token, kind, fields)).encode())


def receive():
    while b'\n' not in P.pending[: 1 << 16] and b'\n' not in P.pending:
        part = os.read(CHANNEL, 1 << 20)
        if not part:
            os._exit(0)
        P.pending += part
    line, _, P.pending = P.pending.partition(b'\n')
    return line.decode()


NAMES = {'__builtins__': {}, 'true': True, 'false': False, 'null': None}


def parse(line):
    if len(line) < 1 << 16:
        try:
            return eval(line, NAMES)
        except (MemoryError, RecursionError, SyntaxError):
            pass
    import json

    try:
        return json.loads(line)
    except RecursionError:
        # The request itself cannot be parsed, but its number and token come before it.
        head, _, _ = line.partition(',"do":')
        return {**json.loads(head + '}'), 'do': 'too_deep'}


# Everything written so far precedes everything that follows, across all three descriptors.
def mark():
    flush_all()
    with UNDIVIDED:
        write_mark()


def write_mark():
    P.marks += 1
    sign = ('\x1e%s%08x\x1e' % (P.token, P.marks)).encode()
    write_all(OUT, sign)
    write_all(ERR, sign)
    send('mark', ',"mark":%d' % P.marks)


class Stream(io.TextIOWrapper):
    last = None

    def write(self, text):
        if Stream.last is not self:
            if P.running and Stream.last is not None:
                mark()
            Stream.last = self
        return super().write(text)


def make_stream(fd):
    return Stream(open(fd, 'wb', closefd=False), 'utf-8', 'backslashreplace', line_buffering=True)


STREAMS = sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = make_stream(1), make_stream(2)


def flush_all():
    for stream in {sys.stdout, sys.stderr, *STREAMS}:
        try:
            stream.flush()
        except Exception:
            pass


def emit(kind, data, metadata='{}'):
    if os.getpid() != PID:
        raise RuntimeError('display() works only in the process of the kernel, not in a forked process')
    if not P.running:
        raise RuntimeError('display() works only while a cell runs')
    flush_all()
    with UNDIVIDED:
        write_mark()
        send('output', ',"output":{"output_type":"%s","data":%s,"metadata":%s}' % (kind, data, metadata))
        write_mark()
    Stream.last = None


PARTS = {}


# The system also sends the signal when the channel becomes writable again. Only a readable byte is an interrupt.
def on_interrupt(number, frame):
    if not P.running or not select.select([CHANNEL], [], [], 0)[0]:
        return
    os.read(CHANNEL, 1)
    if P.writing:
        P.interrupted = True
    else:
        raise KeyboardInterrupt


def hello(q):
    PARTS.update(q['parts'])
    begin_main(q['parameters'])
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    fcntl.fcntl(CHANNEL, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(CHANNEL, F_SETSIG, INTERRUPT)
    _signal.signal(INTERRUPT, on_interrupt)
    libraries = [p for p in os.environ.get('PYTHONPATH', '').split(':') if p]
    sys.path[:0] = libraries
    keep_owners()
    guard_interpreters()
    before_rule(on_cell_program, *PROGRAMS)
    before_rule(on_cell_import, 'import')
    start_audit(q['policy'], q['denials'], q['workdir'], q['tmp'], q['hidden'], libraries)
    return ''


def set_policy(declared, cell=''):
    set_running(cell, declared)
    if may('files') and Policy.workdir not in sys.path:
        sys.path.insert(0, Policy.workdir)


# The cell's own output precedes the output of the program that it starts.
def on_cell_program(args):
    flush_all()
    Stream.last = False


def on_cell_import(args):
    if args[0] == 'linecache' and 'linecache' not in sys.modules and not P.importing:
        P.importing = True
        __import__('linecache')
        for name, code in SOURCES.items():
            remember(name, code)
    if args[0] == 'matplotlib.pyplot':
        import warnings

        warnings.filterwarnings(
            'ignore', '.*(FigureCanvasAgg is non-interactive|non-GUI backend)', UserWarning
        )


F_SETSIG = 10
# Not SIGINT, which a cell may send to itself or handle differently.
INTERRUPT = _signal.SIGRTMIN + 10


def listen(yes):
    flags = fcntl.fcntl(CHANNEL, fcntl.F_GETFL)
    fcntl.fcntl(CHANNEL, fcntl.F_SETFL, flags | os.O_ASYNC if yes else flags & ~os.O_ASYNC)
