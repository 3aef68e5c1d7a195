/**
 * The part of the Python driver that refuses what the running cell did not declare, by an audit hook.
 *
 * It is there for clear messages, for cells that share a kernel with one that may do more, and for `--no-sandbox`. It
 * is no boundary against code that means harm: that is the sandbox. Which cell a thread belongs to: `python-threads.ts`.
 */
export const PYTHON_AUDIT = String.raw`
import os, sys

# An OSError, since libraries that probe for a file or a program know how to do without.
class PolicyError(PermissionError):
    pass

class Policy:
    workdir = tmp = ''
    hidden = []
    denials = {}
    memory = whole = None
    importing = False

def set_policy(declared, cell=''):
    set_running(cell, declared)
    if may('files') and Policy.workdir not in sys.path:
        sys.path.insert(0, Policy.workdir)

def may(key):
    return owner().permissions.get('allow_' + key, False)

def refuse(what, *keys):
    words = [Policy.denials[key] for key in keys]
    if owner() is not RUNNING:
        cell = 'cell "%s"' % owner().name
        what += ' (in a thread that %s started)' % cell
        words = [w.replace('in this cell', 'in that cell').replace('to the cell', 'to ' + cell) for w in words]
    raise PolicyError('; '.join('%s %s' % (what, w) for w in words))

SYSTEM = []
# A virtual environment may lie in the data directory, and that in the folder of the notebook.
ENVIRONMENT = [os.path.realpath(sys.prefix)] if sys.prefix != sys.base_prefix else []

# Resolved at first use, since it costs as much as a trivial cell.
def system_folders():
    if not SYSTEM:
        own = [p for p in sys.path if p != Policy.workdir]
        SYSTEM.extend({os.path.realpath(p) for p in [*own, sys.prefix, sys.base_prefix, '/usr/lib', '/usr/lib64',
            '/usr/local/lib', '/usr/share', '/etc/ssl', '/etc/pki', '/etc/localtime', '/etc/mime.types', '/etc/hosts',
            '/etc/resolv.conf', '/etc/nsswitch.conf', '/etc/host.conf', '/etc/gai.conf', '/etc/services', '/etc/protocols', '/etc/alternatives', '/etc/matplotlibrc', '/etc/fonts',
            '/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/proc/mounts', '/proc/sys', '/proc/filesystems'] if p})
    return SYSTEM

DEVICES = {'/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty', '/dev/stdin', '/dev/stdout', '/dev/stderr'}

def within(path, folders):
    return any(path == f or path.startswith(f + '/') for f in folders)

def check_file(path, writing=False):
    if path is None or isinstance(path, int):
        return
    shown = os.fsdecode(path)
    try:
        full = os.path.realpath(shown)
    except ValueError:
        return
    if not writing and within(full, ENVIRONMENT):
        return
    inside = within(full, (Policy.workdir,))
    if inside and may('files') and not within(full, [Policy.workdir + '/.woof', *Policy.hidden]):
        return
    if inside and not may('files'):
        refuse('access to the file %s' % shown, 'files')
    if not writing and within(full, system_folders()):
        return
    if may('shell') and not writing and within(full, ('/usr', '/bin', '/etc/alternatives')):
        return
    if not inside and (within(full, (Policy.tmp, '/dev/shm')) or full in DEVICES):
        return
    if not inside and within(full, ('/proc/self', '/proc/%d' % os.getpid())):
        return
    refuse('access to the file %s' % shown, 'outside')

def on_open(args):
    path, mode, flags = args
    if path == '/dev/null':
        return
    writing = any(c in mode for c in 'wax+') if isinstance(mode, str) else bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    check_file(path, writing)

def on_list(args):
    path = '.' if args[0] is None else args[0]
    # The import system lists every folder of sys.path, the working directory among them.
    if path == Policy.workdir and not may('files') and sys._getframe(2).f_code.co_filename == '<frozen importlib._bootstrap_external>':
        return
    check_file(path)

def on_two(args):
    check_file(args[0], True)
    check_file(args[1], True)

def on_network(args):
    if not may('network'):
        refuse('network access', 'network')

def on_connect(args):
    if isinstance(args[1], (str, bytes)) and os.fsencode(args[1])[:1] not in (b'\0', b''):
        return check_file(args[1], True)
    on_network(args)

def on_program(args):
    flush_all()
    Stream.last = False
    if not may('shell'):
        refuse('starting another program', 'shell')

def on_database(args):
    if args[0] not in (':memory:', b':memory:', ''):
        check_file(args[0], True)

# C code that a cell calls itself could do what the process may and the cell may not. Installed libraries are trusted.
def on_native(args):
    beyond = beyond_cell()
    if beyond and not is_library(sys._getframe(1)):
        refuse('calling C code (ctypes, cffi)', *beyond)

# What the process may do and the cell may not.
def beyond_cell():
    return [k for k in ('files', 'network', 'shell') if Policy.whole['allow_' + k] and not may(k)]

def is_library(frame):
    while frame is not None and frame.f_globals is globals():
        frame = frame.f_back
    # Importing ctypes loads the program itself, and calls nothing of it.
    while frame is not None and str(frame.f_globals.get('__name__')).partition('.')[0] in ('ctypes', 'importlib'):
        if frame.f_code.co_name == '<module>':
            return True
        frame = frame.f_back
    # The name of a cell is relative, and would stand for a file of the current directory.
    name = frame.f_code.co_filename if frame is not None else ''
    return os.path.isabs(name) and within(os.path.realpath(name), system_folders())

def on_import(args):
    if args[0] in ('cffi', '_cffi_backend'):
        on_native(args)
    if args[0] == 'linecache' and 'linecache' not in sys.modules and not Policy.importing:
        Policy.importing = True
        import linecache
        for name, code in SOURCES.items():
            remember(name, code)
    if args[0] == 'matplotlib.pyplot':
        import warnings
        warnings.filterwarnings('ignore', '.*(FigureCanvasAgg is non-interactive|non-GUI backend)', UserWarning)

RULES = {'open': on_open, 'sqlite3.connect': on_database, 'socket.connect': on_connect, 'socket.bind': on_connect,
    'os.listdir': on_list, 'os.scandir': on_list, 'os.chdir': on_list, 'import': on_import}
RULES.update({'os.' + e: lambda args: check_file(args[0], True) for e in
    ('remove', 'mkdir', 'rmdir', 'chmod', 'chown', 'truncate', 'utime', 'setxattr', 'removexattr')})
RULES.update({'os.' + e: on_two for e in ('rename', 'link', 'symlink')})
RULES.update({'socket.' + e: on_network for e in
    ('getaddrinfo', 'gethostbyname', 'gethostbyaddr', 'getnameinfo', 'sendto', 'sendmsg')})
RULES.update({e: on_program for e in
    ('subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'pty.spawn')})

RULES.update({'ctypes.' + e: on_native for e in ('dlopen', 'dlsym', 'dlsym/handle', 'call_function', 'cdata')})

# A subinterpreter has no audit hook. The event of its creation cannot refuse it: that crashes Python 3.12.
def guard_interpreters():
    for name in ('_xxsubinterpreters', '_interpreters'):
        try:
            module = __import__(name)
        except ImportError:
            continue
        module.create = checking_interpreter(module.create)

def checking_interpreter(create):
    def checked(*args, **options):
        beyond = beyond_cell()
        if beyond:
            refuse('creating a subinterpreter', *beyond)
        return create(*args, **options)
    return checked

def audit(event, args):
    rule = RULES.get(event)
    if rule is not None:
        rule(args)
`;
