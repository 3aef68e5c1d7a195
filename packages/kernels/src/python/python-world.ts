/**
 * The part of the Python driver that looks at what a cell can change beyond its names: the process, the modules, and
 * well-known settings of libraries.
 *
 * What `restore` gives back (environment, folder, random generators) goes into the capture; a change of anything else
 * makes it incomplete. Out of sight: state deep inside libraries that no setting shows.
 */
export const PYTHON_WORLD = `
import operator, warnings, _locale

def loaded(name):
    return sys.modules.get(name)

def random_state():
    return loaded('random') and sys.modules['random'].getstate()

def numpy_state():
    module = loaded('numpy.random')
    if module is None:
        return None
    kind, keys, *rest = module.get_state()
    return (kind, bytes(keys), *rest)

# Given back by restore.
def givable():
    return {'env': dict(os.environ), 'cwd': os.getcwd(), 'random': random_state(), 'numpy': numpy_state()}

# The folder first: only that may fail, and then nothing has changed. A kernel without files may not go where it stands.
def give_back(world):
    if world['cwd'] != os.getcwd():
        os.chdir(world['cwd'])
    os.environ.clear()
    os.environ.update(world['env'])
    if world['random'] is not None:
        import random
        random.setstate(world['random'])
    if world['numpy'] is not None:
        import numpy.random
        kind, keys, *rest = world['numpy']
        numpy.random.set_state((kind, numpy.frombuffer(keys, numpy.uint32), *rest))

def logging_state():
    module = loaded('logging')
    if module is None:
        return ('WARNING', [], {})
    root = module.getLogger()
    named = {n: (l.level, l.disabled, list(map(id, l.handlers))) for n, l in root.manager.loggerDict.items() if isinstance(l, module.Logger)}
    changed = {n: s for n, s in named.items() if s != (0, False, [])}
    return (module.getLevelName(root.level), list(map(id, root.handlers)), changed)

def pandas_options():
    module = loaded('pandas._config.config')
    if module is None:
        return []
    options = module._registered_options
    return sorted((k, repr(module.get_option(k, silent=True))) for k, o in options.items() if module.get_option(k, silent=True) != o.defval)

def matplotlib_settings():
    module = loaded('matplotlib')
    if module is None or not hasattr(module, 'rcParamsDefault'):
        return []
    own = ('backend', 'backend_fallback')
    return sorted((k, repr(v)) for k, v in module.rcParams.items() if k not in own and v != module.rcParamsDefault[k])

def decimal_state():
    module = loaded('decimal')
    return 'Context(prec=28, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, capitals=1, clamp=0' if module is None else repr(module.getcontext()).split(', flags')[0]

def children():
    try:
        with open('/proc/self/task/%d/children' % os.getpid()) as f:
            return f.read().split()
    except OSError:
        return []

def descriptors():
    try:
        return sorted(os.listdir('/proc/self/fd'))
    except OSError:
        return []

def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask

# Whoever restores the names would not find them. The machine's own shared memory is not looked at.
def temporary_files():
    tops = (Policy.tmp, '/dev/shm') if Policy.tmp == '/tmp' else (Policy.tmp,)
    found = [entry for top in tops for entry in files_below(top)]
    return sorted(found) if len(found) < MAX_FILES else object()

MAX_FILES = 10000

def files_below(top):
    found = []
    for folder, folders, files in os.walk(top):
        folders[:] = [n for n in folders if folder + '/' + n != Policy.workdir]
        found += [(folder, n) for n in folders]
        for name in files:
            try:
                status = os.lstat(folder + '/' + name)
                found.append((folder, name, status.st_mode, status.st_size, status.st_mtime_ns))
            except OSError:
                pass
        if len(found) >= MAX_FILES:
            break
    return found

SETTINGS = {
    'files in the temporary folder': temporary_files,
    'the level or handlers of logging': logging_state,
    'options of pandas': pandas_options,
    'rcParams of matplotlib': matplotlib_settings,
    'the context of decimal': decimal_state,
    'sys.path': lambda: [p for p in sys.path if p != Policy.workdir],
    'the filters of warnings': lambda: list(map(repr, warnings.filters)),
    'the locale': lambda: _locale.setlocale(_locale.LC_ALL),
    'settings of sys': lambda: (sys.getrecursionlimit(), id(sys.gettrace()), id(sys.getprofile()), sys.getswitchinterval()),
    'handlers of signals': lambda: [id(_signal.getsignal(n)) for n in range(1, 32)],
    'the umask': umask,
    'threads that still run': _thread._count,
    'programs that still run': children,
    'open files': descriptors,
}

QUIET = {'__warningregistry__', '__builtins__', '__cached__'}
BUSY_MODULES = {'__main__', '_woof_makers', 'linecache', 'tempfile', 'warnings', 'threading', 'importlib._bootstrap', 'importlib._bootstrap_external', '_frozen_importlib', '_frozen_importlib_external'}

def module_dicts():
    return {n: dict(vars(m)) for n, m in list(sys.modules.items()) if type(m) is MODULE and n not in BUSY_MODULES}

def changed_module(before):
    for name, old in before.items():
        module = sys.modules.get(name)
        if module is None:
            return 'it removed the module %s' % name
        new = vars(module)
        if len(old) == len(new) and all(map(operator.is_, old.values(), new.values())):
            continue
        for key in {*old, *new} - QUIET:
            if old.get(key, QUIET) is not new.get(key, QUIET) and type(new.get(key)) is not MODULE:
                return 'it changed %s.%s' % (name, key)
    return None

# What is one object with a value of a module would be two after restore.
def module_values():
    modules = [vars(m) for n, m in list(sys.modules.items()) if type(m) is MODULE and n not in ('__main__', '_woof_makers')]
    return {id(v) for values in modules for v in list(values.values()) if type(v) not in ATOMS}

# A module of the notebook's folder is the user's own state.
def own_modules():
    found = {}
    for name, module in list(sys.modules.items()):
        if str(getattr(module, '__file__', None) or '').startswith(Policy.workdir + '/'):
            values = {k: v for k, v in vars(module).items() if type(v) in (list, dict, set) and not k.startswith('__')}
            found[name] = digest(values, Walk())
    return found
`;
