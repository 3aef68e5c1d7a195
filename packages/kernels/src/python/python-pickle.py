# The part of the Python driver that serialises values of cells. It pickles by value what pickle itself stores only by
# name: functions (their bytecode), closures and plain classes that cells defined.
#
# It refuses whatever would not come back unchanged, rather than guess: classes with a metaclass, slots or their own
# pickling, objects that share parts with something outside the pickle, arrays that share memory. A value of a name that
# did not change is stored as a reference to that name.
#
# Invariant: one walk visits a bounded number of objects.

import copyreg
import hashlib
import importlib
import io
import marshal
import pickle
import sys

MAX_OBJECTS = 300000
MAX_BYTES = 64 << 20
FUNCTION, CELL, MODULE = type(lambda: 0), type((lambda x: (lambda: x).__closure__[0])(0)), type(sys)
ATOMS = {
    int,
    float,
    complex,
    bool,
    str,
    bytes,
    type(None),
    tuple,
    frozenset,
    range,
    type(...),
    type(NotImplemented),
    type(len),
    MODULE,
}

IMMUTABLE = {'datetime', 'decimal', 'fractions', 'uuid', 'pathlib', 're', 'zoneinfo'}


class Unfit(Exception):
    known = {}


# Pickles refer to the functions that restore them by name, so these are in a module of their own.
MAKERS = type(sys)('_woof_makers')
sys.modules['_woof_makers'] = MAKERS


def maker(function):
    function.__module__ = '_woof_makers'
    setattr(MAKERS, function.__name__, function)
    return function


@maker
def make_cell(number):
    return CELL()


@maker
def make_function(code, name, cells):
    return FUNCTION(marshal.loads(code), sys.modules['__main__'].__dict__, name, None, cells)


@maker
def fill_function(function, state):
    contents, attributes, own = state
    for cell, content in contents:
        cell.cell_contents = content
    for key, value in attributes.items():
        setattr(function, key, value)
    function.__dict__.update(own)


@maker
def make_class(name, bases, module):
    return type(name, bases, {'__module__': module})


@maker
def fill_class(made, attributes):
    for key, value in attributes.items():
        type.__setattr__(made, key, value)


@maker
def make_module(name):
    return importlib.import_module(name)


FUNCTION_ATTRIBUTES = (
    '__defaults__',
    '__kwdefaults__',
    '__annotations__',
    '__doc__',
    '__qualname__',
    '__module__',
)
OWN_PICKLING = {
    '__reduce__',
    '__reduce_ex__',
    '__getstate__',
    '__setstate__',
    '__getnewargs__',
    '__getnewargs_ex__',
    '__copy__',
    '__deepcopy__',
    '__del__',
    '__slots__',
    '__dataclass_fields__',
    '__init_subclass__',
    '__set_name__',
}


def is_own(value):
    return getattr(value, '__module__', None) == '__main__'


class Walk:
    def __init__(self, references=None):
        self.references = references or {}
        self.ids, self.held, self.roots, self.count = set(), [], {}, 0

    def visit(self, value):
        kind = type(value)
        if kind in ATOMS:
            return None
        name = self.references.get(id(value))
        if name is not None:
            return ('name', name)
        self.count += 1
        if self.count > MAX_OBJECTS:
            raise Unfit('it contains more than %d objects' % MAX_OBJECTS)
        if (
            isinstance(value, type)
            and not is_own(value)
            or kind is FUNCTION
            and value.__globals__ is not SCOPE
        ):
            return None
        if (
            kind.__module__ in IMMUTABLE
            or kind.__name__.startswith('dtype')
            or kind.__name__.endswith('DType')
        ):
            return None
        self.ids.add(id(value))
        self.held.append(value)
        if hasattr(value, '__array_interface__') and hasattr(value, 'base'):
            self.visit_array(value)
        return None

    def visit_array(self, value):
        root = value
        while getattr(root, 'base', None) is not None:
            root = root.base
        if root is not value and id(root) in self.references:
            raise Unfit('its values share objects with values of earlier cells')
        if self.roots.setdefault(id(root), id(value)) != id(value):
            raise Unfit('two arrays share memory')
        self.ids.add(id(root))
        self.held.append(root)


class CellPickler(pickle.Pickler):
    def __init__(self, target, walk):
        super().__init__(target, 5)
        self.walk = walk

    def persistent_id(self, value):
        return self.walk.visit(value)

    def reducer_override(self, value):
        kind = type(value)
        if kind is FUNCTION:
            return reduce_function(value) if value.__globals__ is SCOPE else by_name(value)
        if isinstance(value, type):
            return reduce_class(value) if is_own(value) else by_name(value)
        if kind is CELL:
            return make_cell, (id(value),)
        if kind is MODULE:
            return make_module, (module_name(value),)
        if kind is property:
            return property, (value.fget, value.fset, value.fdel, value.__doc__)
        if kind in (staticmethod, classmethod):
            return kind, (value.__func__,)
        own = OWN_PICKLING.intersection(*[[n for c in kind.__mro__ if is_own(c) for n in vars(c)]])
        if own:
            raise Unfit('the class %s has %s' % (kind.__name__, min(own)))
        reduce = copyreg.dispatch_table.get(kind)
        found = reduce(value) if reduce else value.__reduce_ex__(5)
        if isinstance(found, str) and is_own(value):
            raise Unfit('%s can only be found by its name' % found)
        return NotImplemented if isinstance(found, str) else found


def by_name(value):
    if is_own(value):
        raise Unfit('%s can only be found by its name' % value.__qualname__)
    return NotImplemented


def module_name(module):
    name = module.__name__
    if sys.modules.get(name) is not module or getattr(module, '__spec__', None) is None:
        raise Unfit('the module %s was not imported' % name)
    return name


def reduce_function(value):
    cells = value.__closure__ or ()
    contents = []
    for cell in cells:
        try:
            contents.append((cell, cell.cell_contents))
        except ValueError:
            pass
    state = (contents, {k: getattr(value, k) for k in FUNCTION_ATTRIBUTES}, dict(value.__dict__))
    args = (marshal.dumps(value.__code__), value.__name__, value.__closure__)
    return make_function, args, state, None, None, fill_function


def reduce_class(value):
    own = [n for c in value.__mro__ if is_own(c) for n in OWN_PICKLING.intersection(vars(c))]
    inherited = any('__init_subclass__' in vars(c) for c in value.__mro__[1:] if c is not object)
    if type(value) is not type or own or inherited:
        raise Unfit('the class %s is more than a plain class' % value.__name__)
    state = {k: v for k, v in vars(value).items() if k not in ('__dict__', '__weakref__', '__module__')}
    state['__qualname__'] = value.__qualname__
    return (
        make_class,
        (value.__name__, value.__bases__, value.__module__),
        state,
        None,
        None,
        fill_class,
    )


class Bounded:
    def __init__(self, write):
        self.size, self.forward = 0, write

    def write(self, data):
        self.size += len(data)
        if self.size > MAX_BYTES:
            raise Unfit('it is larger than %d MiB' % (MAX_BYTES >> 20))
        self.forward(data)
        return len(data)


def pickled(value, walk):
    target = io.BytesIO()
    dump(value, walk, target.write)
    return target.getvalue()


def digest(value, walk):
    made = hashlib.blake2b(digest_size=16)
    dump(value, walk, made.update)
    return made.digest()


def dump(value, walk, write):
    try:
        CellPickler(Bounded(write), walk).dump(value)
    except Unfit:
        raise
    except Exception as e:
        raise Unfit('it cannot be pickled: %s' % str(e)[:200]) from None


class CellUnpickler(pickle.Unpickler):
    def persistent_load(self, reference):
        return SCOPE[reference[1]]
