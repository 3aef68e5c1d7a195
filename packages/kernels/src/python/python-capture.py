# The part of the Python driver that reports what a tracked cell changed, and restores it in another kernel.
#
# Before the cell it records a digest of every name's value and of the world, and afterwards it compares. It does not
# hold the values: Python discards what the cell lets go at the same moment as without tracking. Invariant: a capture is
# complete only if later cells cannot tell a restored state from the original (as far as this driver sees). Otherwise it
# says why not. One difference is accepted: `a is b` for equal immutable values (numbers, text, tuples) of two cells may
# become false.
#
# When Python discards an object depends on all references to it, and names do not show those. So once the code of a
# cell may show it (`Ends.noticed`), neither this cell nor any later one has a complete capture, and each counts as a
# change of anything.

import base64
import importlib
import io
import sys
import warnings

HEADER = ('woof-python 2 %s\n' % sys.version.replace('\n', ' ')).encode()
GIVEN = ('woof', 'parameters', 'display')
HIDDEN = {
    '__name__',
    '__doc__',
    '__package__',
    '__loader__',
    '__spec__',
    '__builtins__',
    '__warningregistry__',
    '__annotations__',
    '__file__',
    *GIVEN,
}


class Before:
    pass


# A digest, or in words why there is none.
def digest_of(value):
    walk = Walk()
    try:
        return digest(value, walk), walk
    except Unfit as e:
        return str(e), walk
    except Exception as e:
        return 'it cannot be read: ' + type(e).__name__, walk


def look():
    found = Before()
    found.names = {n: (id(v), digest_of(v)[0]) for n, v in SCOPE.items() if n not in HIDDEN}
    found.given = given_state()
    found.annotations = dict(SCOPE.get('__annotations__', {}))
    found.world = givable()
    found.settings = {n: f() for n, f in SETTINGS.items()}
    found.filters = list(map(repr, warnings.filters))
    found.modules = module_dicts()
    found.own = own_modules()
    found.loaded = set(sys.modules)
    return found


# An object is equal to nothing else: what has no digest counts as changed.
def given_state():
    digests = [digest_of(SCOPE.get(n))[0] for n in GIVEN[:2]]
    return [(SCOPE.get(n), object() if type(d) is str else d) for n, d in zip(GIVEN, digests)]


# The cell assigns these names before it reads them, if it assigns them at all: one that is still missing afterwards gets
# back what it held. Otherwise an equal value would not tell whether the cell assigned it.
def put_aside(names):
    LAST.assigned = set()
    return {n: SCOPE.pop(n) for n in names if n in SCOPE and ends_quietly(SCOPE[n])}


def give_back_unless_assigned(aside):
    LAST.assigned = {n for n in aside if n in SCOPE}
    for n in aside.keys() - LAST.assigned:
        SCOPE[n] = aside[n]


def names_of(code):
    found = set(code.co_names)
    for const in code.co_consts:
        if type(const) is type(code):
            found |= names_of(const)
    return found


# The names that this cell uses, and those that functions of any cell use, because it may have called them.
def used_names():
    found = set()
    for code in CODES:
        own = code.co_filename == LAST.name
        inner = [c for c in code.co_consts if type(c) is type(code)]
        found.update(names_of(code) if own else set().union(*map(names_of, inner)))
    return found


def capture_cell():
    Ends.noticed = Ends.noticed or any(map(notices_ends, modules_in_folder().values()))
    if Ends.noticed:
        raise Unfit('cells may show when Python discards an object')
    if not TRACKING:
        raise Unfit('the cell was not tracked')
    before = TRACKING[0]
    used = used_names()
    tree = parsed(LAST.code)
    check_world(before, used)
    check_stores(tree)
    changed, removed, named, shared = compare(before, used, bound_by(tree) | LAST.assigned)
    world = givable()
    fresh = {k: v for k, v in world.items() if v != at_start(k, before.world[k])}
    # A change to something without a name may show up anywhere.
    known = {} if fresh else {'names': sorted([*changed, *removed]), 'imports': origins(changed)}
    if known and not own_modules():
        known['quiet'] = [n for n in changed if ends_quietly(SCOPE[n])]
    try:
        return known, packed(changed, removed, named, shared, fresh, loaded_parts(before))
    except Unfit as e:
        e.known = known
        raise


# The parts of packages that the cell loaded: each is now an attribute of its package, for everyone who has the package.
def loaded_parts(before):
    new = [n for n in sys.modules if n not in before.loaded and '.' in n and '._' not in n]
    return sorted(n for n in new if is_part(n) and getattr(sys.modules[n], '__spec__', None))


def is_part(name):
    package, _, last = name.rpartition('.')
    return getattr(sys.modules.get(package), last, None) is sys.modules[name]


def parsed(code):
    import ast

    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):
        return ast.Module([], [])  # It cannot have run.


# Names that the cell certainly binds itself. Its capture must not depend on what they held before.
def bound_by(tree):
    import ast

    nodes = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    imported = {a.asname or a.name.partition('.')[0] for n in nodes for a in n.names}
    defined = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    targets = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    names = [e for t in targets for e in getattr(t, 'elts', [t])]
    return imported | defined | {n.id for n in names if isinstance(n, ast.Name)}


QUIET_LIBRARIES = {'numpy', 'pandas', 'matplotlib', 'scipy', 'polars', 'sklearn', 'statsmodels'}
QUIET_CONTAINERS = {list, tuple, set, frozenset, dict}
MOST_PARTS = 1000


# Whether nothing is noticeable when a later cell assigns another value to its name. Classes of a cell may answer as they
# like.
def ends_quietly(value):
    try:
        return has_quiet_parts(value)
    except Exception:
        return False


def has_quiet_parts(value):
    parts = [value]
    for part in parts:
        inner = parts_of(part)
        if inner is None and not is_quiet_part(part):
            return False
        parts.extend(inner or ())
        if len(parts) > MOST_PARTS:
            return False
    return True


# What ends with the value; None if it has no parts.
def parts_of(value):
    kind = type(value)
    if kind is FUNCTION and is_own(value):
        cells = [c.cell_contents for c in value.__closure__ or () if c != CELL()]
        return [value.__defaults__, value.__kwdefaults__, value.__dict__, *cells]
    if kind not in QUIET_CONTAINERS and kind.__module__ != 'collections':
        return None
    if len(value) > MOST_PARTS:
        return [value] * MOST_PARTS
    values = value.values() if isinstance(value, dict) else ()
    return [*value, *values, getattr(value, 'default_factory', None)]


# What can be imported stays with its module.
def is_quiet_part(part):
    library = type(part).__module__.partition('.')[0]
    return (
        type(part) in ATOMS
        or type(part).__module__ in IMMUTABLE
        or library in QUIET_LIBRARIES
        or origin_of(part) is not None
    )


# The origins of names that hold importable values: two cells that import the same thing leave the same state.
def origins(names):
    found = {n: origin_of(SCOPE[n]) for n in names}
    return {n: origin for n, origin in found.items() if origin}


def origin_of(value):
    if type(value) is MODULE:
        return value.__name__ if sys.modules.get(value.__name__) is value else None
    if not isinstance(value, (type, FUNCTION, type(len))) or is_own(value):
        return None
    home, name = value.__module__, value.__qualname__
    return '%s.%s' % (home, name) if getattr(sys.modules.get(home), name, None) is value else None


def packed(changed, removed, named, shared, fresh, loaded):
    references = {id(SCOPE[n]): n for n in [*named, *GIVEN] if type(SCOPE.get(n)) not in ATOMS}
    references[id(SCOPE)] = '__dict__'
    walk = Walk(references)
    values = {n: SCOPE[n] for n in changed}
    data = HEADER + pickled((values, removed, fresh, loaded, LAST.name, LAST.code), walk)
    if walk.ids & shared:
        raise Unfit('its values share objects with values of earlier cells')
    if walk.ids & module_values():
        raise Unfit('its values share objects with a module')
    return data


def compare(before, used, bound):
    changed, kept, shared = [], [], set()
    held = []
    for name in [n for n in SCOPE if n not in HIDDEN]:
        value = SCOPE[name]
        old, was = before.names.get(name, (None, None))
        if id(value) != old or name in bound:
            changed.append(name)
            continue
        now, walk = digest_of(value)
        if isinstance(now, str) or isinstance(was, str):
            if name in used and type(value) is not MODULE:
                raise Unfit(
                    'whether it changed %s is unknown: %s' % (name, now if isinstance(now, str) else was)
                )
            kept.append(name)
        elif now != was:
            changed.append(name)
        else:
            kept.append(name)
            shared |= walk.ids
            held.append(walk)
    named = referable(kept, used)
    for n in named:
        shared.discard(id(SCOPE[n]))
    TRACKING.append(held)
    removed = [n for n in sorted({*before.names, *bound}) if n not in SCOPE]
    return changed, removed, named, shared


# The names by which a capture may refer to objects of earlier cells, the preferred ones last. The key of the cell covers
# the cells of names that it uses. Another name of the same object may belong to a cell that can change unnoticed.
def referable(kept, used):
    definitions = (type, FUNCTION, MODULE)
    return sorted((n for n in kept if n in used or isinstance(SCOPE[n], definitions)), key=used.__contains__)


# For a library that the cell loaded, its state right after loading.
def at_start(key, value):
    return AtLoad.numpy[0] if key == 'numpy' and value is None and AtLoad.numpy else value


def check_world(before, used):
    if given_state() != before.given or SCOPE.get('display') is not display:
        raise Unfit('it changed woof or parameters')
    if dict(SCOPE.get('__annotations__', {})) != before.annotations:
        raise Unfit('it changed the annotations of the module')
    for name, look_at in SETTINGS.items():
        was = before.settings[name]
        if look_at is numpy_settings and was is None and AtLoad.numpy:
            was = AtLoad.numpy[1]
        if look_at() != was:
            raise Unfit('it changed ' + name)
    for what, running in LEFT_RUNNING.items():
        if running():
            raise Unfit(what + ' still run')
    if changed_filters(before.filters, used):
        raise Unfit('it changed the warning filters')
    reason = changed_module(before.modules)
    if reason:
        raise Unfit(reason)
    if {n: d for n, d in own_modules().items() if n in before.own} != before.own:
        raise Unfit("it changed the state of a module in the notebook's folder")


class LAST:
    code = name = ''
    assigned = set()


def restore_symbols(text):
    data = base64.b64decode(text)
    if not data.startswith(HEADER):
        raise ValueError('these symbols come from another Python version')
    values, removed, world, loaded, name, code = CellUnpickler(io.BytesIO(data[len(HEADER) :])).load()
    # If something cannot be restored, no name changes, and the cell runs again instead.
    for part in loaded:
        importlib.import_module(part)
    give_back({**givable(), **world})
    # What goes may still change the old state, so it goes before the new one arrives.
    SCOPE.update(dict.fromkeys(n for n in (*values, *removed) if n in SCOPE))
    SCOPE.update(values)
    for each in removed:
        SCOPE.pop(each, None)
    # Its functions show their lines in an error, and what they use counts for the cells that may call them.
    CODES.extend(pieces(code, name)[0])
