# The part of the Python driver that examines what a cell can change beyond its names: the process, the modules, and
# well-known settings of libraries.
#
# What `restore` can restore (environment, working directory, random generators) goes into the capture. A change of
# anything else makes it incomplete. Out of sight: state deep inside libraries that no setting shows.
#
# Importing a library is not a change in itself: restoring the names imports it too, and code that cannot reach it
# cannot tell. So each setting is compared with its state right after its library was loaded, and what libraries do for
# themselves (caches, preparation for first use, filters for their own warnings) does not count.

import _locale
import _thread
import gc
import operator
import os
import random
import sys
import warnings


def loaded(name):
    return sys.modules.get(name)


# The state of numpy right after loading: nothing else shows whether a cell that loads it also seeds it.
class AtLoad:
    numpy = None


def note_numpy(_):
    AtLoad.numpy = (numpy_state(), numpy_settings())


sys.meta_path.insert(0, AfterLoading('numpy', note_numpy))


def numpy_state():
    module = loaded('numpy.random')
    if module is None:
        return AtLoad.numpy and AtLoad.numpy[0]
    kind, keys, *rest = module.get_state()
    return (kind, bytes(keys), *rest)


def numpy_settings():
    module = loaded('numpy')
    if module is None or not hasattr(module, 'get_printoptions'):
        return AtLoad.numpy and AtLoad.numpy[1]
    return (
        repr(sorted(module.get_printoptions().items(), key=str)),
        module.geterr(),
        id(module.geterrcall()),
    )


# What restore can restore.
def givable():
    return {
        'env': dict(os.environ),
        'cwd': os.getcwd(),
        'random': random.getstate(),
        'numpy': numpy_state(),
        'recursion': sys.getrecursionlimit(),
    }


# The directory comes first: only this step can fail (in a kernel without files), and then nothing has changed.
def give_back(world):
    if world['cwd'] != os.getcwd():
        os.chdir(world['cwd'])
    os.environ.clear()
    os.environ.update(world['env'])
    random.setstate(world['random'])
    if world['recursion'] != sys.getrecursionlimit():
        sys.setrecursionlimit(world['recursion'])
    if world['numpy'] is not None:
        import numpy.random

        kind, keys, *rest = world['numpy']
        numpy.random.set_state((kind, numpy.frombuffer(keys, numpy.uint32), *rest))


def logging_state():
    module = loaded('logging')
    if module is None:
        return ('WARNING', 0, [], [], {}, [])
    root = module.getLogger()
    loggers = [(n, v) for n, v in root.manager.loggerDict.items() if isinstance(v, module.Logger)]
    named = {n: (v.level, v.disabled, v.propagate, *attached(v)) for n, v in loggers}
    changed = {n: s for n, s in named.items() if s != (0, False, True, [], [])}
    levels = [(n, v) for n, v in module._levelToName.items() if LEVELS.get(n) != v]
    return (module.getLevelName(root.level), root.manager.disable, *attached(root), changed, levels)


LEVELS = {50: 'CRITICAL', 40: 'ERROR', 30: 'WARNING', 20: 'INFO', 10: 'DEBUG', 0: 'NOTSET'}


# Libraries attach handlers that do nothing.
def attached(logger):
    handlers = [h for h in logger.handlers if type(h).__name__ != 'NullHandler']
    return list(map(form_of, handlers)), list(map(id, logger.filters))


# Python accepts any object that has what its calls need.
def form_of(handler):
    filters = list(map(id, getattr(handler, 'filters', ())))
    return id(handler), getattr(handler, 'level', None), id(getattr(handler, 'formatter', None)), filters


def pandas_options():
    module = loaded('pandas._config.config')
    if module is None:
        return []
    options = module._registered_options
    return sorted(
        (k, repr(module.get_option(k, silent=True)))
        for k, o in options.items()
        if module.get_option(k, silent=True) != o.defval
    )


def matplotlib_settings():
    module = loaded('matplotlib')
    if module is None or not hasattr(module, 'rcParamsDefault'):
        return []
    own = ('backend', 'backend_fallback')
    changed = [
        (k, repr(v)) for k, v in module.rcParams.items() if k not in own and v != module.rcParamsDefault[k]
    ]
    backend = str(module.rcParams['backend']).lower()
    return sorted(changed) if backend == 'agg' else [*sorted(changed), backend]


def decimal_state():
    module = loaded('decimal')
    if module is None:
        return (
            28,
            'ROUND_HALF_EVEN',
            -999999,
            999999,
            1,
            0,
            ['DivisionByZero', 'InvalidOperation', 'Overflow'],
        )
    now = module.getcontext()
    traps = sorted(signal.__name__ for signal, trapped in now.traps.items() if trapped)
    return (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, traps)


def csv_limit():
    module = loaded('_csv')
    return 131072 if module is None else module.field_size_limit()


def socket_timeout():
    module = loaded('_socket')
    return None if module is None else module.getdefaulttimeout()


def children():
    try:
        with open('/proc/self/task/%d/children' % os.getpid()) as f:
            return f.read().split()
    except OSError:
        return []


# Files that libraries hold open (fonts, tables) belong to the libraries.
# Libraries open files of their own, and the null device shows nothing.
def descriptors():
    places = tuple(p + '/' for p in ('/usr', sys.prefix, *sys.path) if p and p != Policy.workdir)
    try:
        found = {n: target_of(n) for n in os.listdir('/proc/self/fd')}
    except OSError:
        return []
    return sorted(
        n
        for n, target in found.items()
        if target not in (None, '/dev/null') and not target.startswith(places)
    )


# None for the descriptor that was used to list them.
def target_of(descriptor):
    try:
        return os.readlink('/proc/self/fd/' + descriptor)
    except OSError:
        return None


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# After a restore these files would be missing. The machine's shared memory is not examined.
def temporary_files():
    tops = (Policy.tmp, '/dev/shm') if Policy.tmp == '/tmp' else (Policy.tmp,)
    found = [entry for top in tops for entry in files_below(top)]
    return sorted(found) if len(found) < MAX_FILES else object()


MAX_FILES = 10000


def files_below(top):
    found = []
    caches = {Policy.tmp + n for n in ('/.cache/matplotlib', '/.config/matplotlib')}
    parents = {Policy.tmp + n for n in ('/.cache', '/.config')}
    for folder, folders, files in os.walk(top):
        folders[:] = [n for n in folders if folder + '/' + n not in (Policy.workdir, *caches)]
        found += [(folder, n) for n in folders if folder + '/' + n not in parents]
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
    'files in the temporary directory': temporary_files,
    'logging levels or handlers': logging_state,
    'pandas options': pandas_options,
    'matplotlib rcParams': matplotlib_settings,
    'numpy print options or error handling': numpy_settings,
    'the decimal context': decimal_state,
    'sys.path': lambda: [p for p in sys.path if p != Policy.workdir],
    'the locale': lambda: _locale.setlocale(_locale.LC_ALL),
    'sys settings': lambda: (
        id(sys.gettrace()),
        id(sys.getprofile()),
        sys.getswitchinterval(),
        getattr(sys, 'get_int_max_str_digits', int)(),
        repr(getattr(sys, 'argv', None)),
    ),
    'the garbage collector': lambda: (gc.isenabled(), gc.get_threshold(), gc.get_debug()),
    'the timeout of sockets': socket_timeout,
    'the limit of csv': csv_limit,
    'the umask': umask,
    'open files': descriptors,
}

# While these run, they may change what any cell left.
LEFT_RUNNING = {'threads': _thread._count, 'programs': children}


# Libraries add filters for their own warnings. These count only if the code of a cell uses the module `warnings`.
def changed_filters(before, used):
    now = {repr(f): f for f in warnings.filters}
    added = [f for text, f in now.items() if text not in before]
    kept = [text for text in map(repr, warnings.filters) if text in before]
    return kept != before or added and ('warnings' in used or not all(map(is_of_library, added)))


def is_of_library(filter):
    action, message, category, module, line = filter
    return bool(message or module) or category.__module__ != 'builtins'


QUIET = {'__warningregistry__', '__builtins__', '__cached__'}
BUSY_MODULES = {
    '__main__',
    '_woof_makers',
    'cython_runtime',
    'linecache',
    'tempfile',
    'warnings',
    'threading',
    'importlib._bootstrap',
    'importlib._bootstrap_external',
    '_frozen_importlib',
    '_frozen_importlib_external',
}


def module_dicts():
    return {
        n: dict(vars(m)) for n, m in list(sys.modules.items()) if type(m) is MODULE and n not in BUSY_MODULES
    }


def changed_module(before):
    for name, old in before.items():
        module = sys.modules.get(name)
        if module is None:
            return 'it removed the module %s' % name
        new = vars(module)
        if len(old) == len(new) and all(map(operator.is_, old.values(), new.values())):
            continue
        for key in {*old, *new} - QUIET:
            if key.startswith('_') and name in LAZY or is_quiet(key, new.get(key)):
                continue
            if not is_same(old.get(key, QUIET), new.get(key, QUIET)):
                return 'it changed %s.%s' % (name, key)
    return None


# The first figure chooses the backend, which is checked separately from rcParams. The first image loads the formats.
LAZY = {'matplotlib.pyplot', 'PIL.Image'}


def is_same(old, new):
    return old is new or is_plain(old) and type(old) is type(new) and old == new


def is_plain(value):
    return type(value) in PLAIN or type(value) is tuple and all(type(v) in PLAIN for v in value)


# Compiled modules share data through builtins.
def is_quiet(key, value):
    return type(value) is MODULE or key.startswith('__pybind11_')


# An object that a module also holds would be two objects after a restore.
def module_values():
    modules = [
        vars(m)
        for n, m in list(sys.modules.items())
        if type(m) is MODULE and n not in ('__main__', '_woof_makers')
    ]
    return {id(v) for values in modules for v in list(values.values()) if type(v) not in ATOMS}


# A module in the notebook's folder is part of the user's own state.
def own_modules():
    found = {}
    for name, module in modules_in_folder().items():
        values = {
            k: v for k, v in vars(module).items() if type(v) in (list, dict, set) and not k.startswith('__')
        }
        found[name] = digest(values, Walk())
    return found


def modules_in_folder():
    return {
        n: m
        for n, m in list(sys.modules.items())
        if str(getattr(m, '__file__', None) or '').startswith(Policy.workdir + '/')
    }


# The same as what the text of cells shows by its words.
def notices_ends(module):
    return any(
        getattr(v, '__name__' if type(v) is MODULE else '__module__', None) in NOTICING
        or isinstance(v, type)
        and '__del__' in vars(v)
        for v in list(vars(module).values())
    )
