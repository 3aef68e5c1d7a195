# The audit hook: refuses what the running code did not declare. Used in cells, playbook tasks and Jupyter's Python.
#
# It gives clear messages, limits cells that share a process with a cell that may do more, and works with
# `--no-sandbox`. It is not a boundary against malicious code: that is the sandbox. `python-threads.py` knows which cell
# a thread belongs to.

import os
import sys


# An OSError, because libraries that probe for a file or program handle it.
class PolicyError(PermissionError):
    pass


class Policy:
    # What the process may do. The running code may do this or less.
    whole = {}
    # The text after the name of the refused action, by permission. 'outside' follows a path that no permission opens.
    denials = {}
    # None: files are not checked, because the process itself opens some.
    workdir = None
    tmp = ''
    hidden = []
    # Folders with the user's modules outside workdir.
    libraries = []


def start_audit(whole, denials, workdir=None, tmp='', hidden=(), libraries=()):
    Policy.whole, Policy.denials, Policy.workdir = whole, denials, workdir
    if workdir is not None:
        Policy.tmp, Policy.hidden = os.path.realpath(tmp), [workdir + '/.woof', *hidden]
        Policy.libraries = [p for p in map(os.path.realpath, libraries) if p != workdir]
    sys.addaudithook(audit)


def may(key):
    return owner().permissions.get('allow_' + key, False)


def refuse(what, *keys):
    words = [Policy.denials[key] for key in keys]
    if owner() is not RUNNING:
        cell = 'cell "%s"' % owner().name
        what += ' (in a thread that %s started)' % cell
        words = [
            w.replace('in this cell', 'in that cell').replace('to the cell', 'to ' + cell) for w in words
        ]
    raise PolicyError('; '.join('%s %s' % (what, w) for w in words))


SYSTEM = []
SYSTEM_PATHS = [
    *sys.path,
    sys.prefix,
    sys.base_prefix,
    *('/usr/lib', '/usr/lib64', '/usr/local/lib', '/usr/share'),
    *('/etc/ssl', '/etc/pki', '/etc/localtime', '/etc/mime.types', '/etc/hosts', '/etc/resolv.conf'),
    *('/etc/nsswitch.conf', '/etc/host.conf', '/etc/gai.conf', '/etc/services', '/etc/protocols'),
    *('/etc/alternatives', '/etc/matplotlibrc', '/etc/fonts'),
    *('/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/proc/mounts', '/proc/sys', '/proc/filesystems'),
]
PROGRAM_FOLDERS = ['/usr', '/bin', '/etc/alternatives']
DEVICES = {'/dev/' + n for n in 'null zero full random urandom tty stdin stdout stderr'.split()}


# Resolved on first use, because it costs as much as a trivial cell.
def system_folders():
    if not SYSTEM:
        SYSTEM.extend({os.path.realpath(p) for p in SYSTEM_PATHS if p})
    return SYSTEM


def trusted_folders():
    return [*system_folders(), *Policy.libraries]


def within(path, folders):
    return any(path == f or path.startswith(f + '/') for f in folders)


def check_file(path, writing=False):
    if path is None or isinstance(path, int) or Policy.workdir is None:
        return
    shown = os.fsdecode(path)
    try:
        full = os.path.realpath(shown)
    except ValueError:
        return
    inside, hidden = within(full, [Policy.workdir]), within(full, Policy.hidden)
    if inside and may('files') and not hidden or not writing and is_readable(full, inside):
        return
    # In a sandbox without files, a temporary folder with the same path replaces workdir.
    own = inside and (Policy.workdir != Policy.tmp or Policy.whole['allow_files'])
    if own and not may('files'):
        refuse('access to the file %s' % shown, 'files')
    if own or hidden or not is_private(full):
        refuse('access to the file %s' % shown, 'outside')


# Inside workdir, only parts of the interpreter are readable: a virtual environment may be there.
def is_readable(full, inside):
    if inside:
        return within(full, [f for f in system_folders() if f.startswith(Policy.workdir.rstrip('/') + '/')])
    return within(full, trusted_folders()) or may('shell') and within(full, PROGRAM_FOLDERS)


def is_private(full):
    own_process = ('/proc/self', '/proc/%d' % os.getpid())
    return full in DEVICES or within(full, [Policy.tmp, '/dev/shm', *own_process])


def on_open(args):
    path, mode, flags = args
    if path == '/dev/null':
        return
    writing = (
        any(c in mode for c in 'wax+')
        if isinstance(mode, str)
        else bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    )
    check_file(path, writing)


def on_list(args):
    path = '.' if args[0] is None else args[0]
    # The import system lists every folder of sys.path, even the working directory if an earlier cell had files.
    if (
        path == Policy.workdir
        and 'files' in beyond_cell()
        and sys._getframe(2).f_code.co_filename == '<frozen importlib._bootstrap_external>'
    ):
        return
    check_file(path)


def on_change(args):
    check_file(args[0], True)


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
    if not may('shell'):
        refuse('starting another program', 'shell')


def on_database(args):
    if args[0] not in (':memory:', b':memory:', ''):
        check_file(args[0], True)


# C code that a cell calls directly could do what the process may and the cell may not. Installed libraries are trusted.
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
    # Importing ctypes loads the program itself but calls nothing in it.
    while frame is not None and str(frame.f_globals.get('__name__')).partition('.')[0] in (
        'ctypes',
        'importlib',
    ):
        if frame.f_code.co_name == '<module>':
            return True
        frame = frame.f_back
    # A cell's name is relative, and would look like a file in the current directory.
    name = frame.f_code.co_filename if frame is not None else ''
    return os.path.isabs(name) and within(os.path.realpath(name), trusted_folders())


def on_import(args):
    if args[0] in ('cffi', '_cffi_backend'):
        on_native(args)


# Events by their effect, grouped by module.
CHANGES = 'remove mkdir rmdir chmod chown truncate utime setxattr removexattr'.split()
MOVES = 'rename link symlink'.split()
LISTS = 'listdir scandir chdir'.split()
CALLS = 'getaddrinfo gethostbyname gethostbyaddr getnameinfo sendto sendmsg'.split()
PROGRAMS = 'subprocess.Popen os.system os.exec os.posix_spawn os.spawn pty.spawn'.split()
NATIVE = 'dlopen dlsym dlsym/handle call_function cdata'.split()
RULES = {
    'open': on_open,
    'sqlite3.connect': on_database,
    'socket.connect': on_connect,
    'socket.bind': on_connect,
    'import': on_import,
    **{'os.' + e: on_change for e in CHANGES},
    **{'os.' + e: on_two for e in MOVES},
    **{'os.' + e: on_list for e in LISTS},
    **{'socket.' + e: on_network for e in CALLS},
    **{e: on_program for e in PROGRAMS},
    **{'ctypes.' + e: on_native for e in NATIVE},
}


# Runs further code of the host at an event, before the rule.
def before_rule(first, *events):
    for event in events:
        RULES[event] = in_turn(first, RULES[event])


def in_turn(first, rule):
    def both_rules(args):
        first(args)
        rule(args)

    return both_rules


# A subinterpreter has no audit hook. Its creation cannot be refused in the audit event: that crashes Python 3.12.
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
