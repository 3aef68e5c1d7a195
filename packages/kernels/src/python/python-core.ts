/**
 * The part of the Python driver that every cell needs: the channel, the streams, what cells find in their scope.
 *
 * Start-up counts, so it imports built-in modules only (`_signal` for `signal`, no `json`: JSON text is a Python
 * expression once true, false and null have values, and the host wrote it). What few cells need comes as further parts.
 *
 * The channel moves to a descriptor of random number, closed on exec and in forked children. While a cell runs, the
 * kernel turns any byte on the channel into a signal (O_ASYNC), so that an interrupt needs no thread.
 */
export const PYTHON_CORE = String.raw`
import fcntl, _signal, builtins, io, select
from _json import encode_basestring_ascii as quote

class Protocol:
    n, token, marks, pending = 0, '', 0, b''
    running = writing = interrupted = False

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
        view = view[os.write(fd, view):]

# No interrupt and no other thread may split what the host reads as one.
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
    while b'\n' not in P.pending[:1 << 16] and b'\n' not in P.pending:
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
        # What is asked for cannot be read, but who asks stands before it.
        head, _, _ = line.partition(',"do":')
        return {**json.loads(head + '}'), 'do': 'too_deep'}

# Everything written so far comes before everything that follows, also across the three descriptors.
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

PARTS, LOADED = {}, {}

def part(name):
    if name not in LOADED:
        LOADED[name] = True
        exec(compile(PARTS[name], '<woof>', 'exec'), globals())

MAIN = type(sys)('__main__')
SCOPE = MAIN.__dict__
SCOPE['__builtins__'] = builtins
MAIN.__spec__ = None

class Woof(dict):
    parameters = {}

def display(*values, metadata=None, **options):
    part('display')
    for value in values:
        show('display_data', value, metadata, options.get('raw', False))

def no_input(prompt=''):
    raise RuntimeError('input() does not work because cells run unattended. Pass the value in "parameters" of the header, or with --set')

# The system also sends the signal when the channel can be written again; only a byte to read is an interrupt.
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
    sys.modules['__main__'] = MAIN
    SCOPE['woof'] = woof = Woof()
    SCOPE['parameters'] = woof.parameters = q['parameters']
    SCOPE['display'] = display
    builtins.PolicyError = PolicyError
    builtins.input = no_input
    sys.argv = ['']
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    Policy.workdir, Policy.tmp, Policy.hidden = q['workdir'], q['tmp'], q['hidden']
    Policy.whole, Policy.denials = q['policy'], q['denials']
    fcntl.fcntl(CHANNEL, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(CHANNEL, F_SETSIG, INTERRUPT)
    _signal.signal(INTERRUPT, on_interrupt)
    sys.path[:0] = [p for p in os.environ.get('PYTHONPATH', '').split(':') if p]
    keep_owners()
    guard_interpreters()
    sys.addaudithook(audit)
    return ''

F_SETSIG = 10
# Not SIGINT, which a cell may send to itself or handle in its own way.
INTERRUPT = _signal.SIGRTMIN + 10

def listen(yes):
    flags = fcntl.fcntl(CHANNEL, fcntl.F_GETFL)
    fcntl.fcntl(CHANNEL, fcntl.F_SETFL, flags | os.O_ASYNC if yes else flags & ~os.O_ASYNC)
`;
