# The part of the Python driver that reads in the text of a cell what the cell sets in libraries.
#
# It finds what python-world.py cannot compare: modules that the cell itself loaded have no earlier state, and what a
# library keeps in its containers, classes or compiled code changes too often by itself. Functions of other cells are
# not read.

import re
import sys

# Settings of these are compared exactly.
COMPARED = {'numpy', 'pandas', 'matplotlib', 'random', 'decimal', 'locale'}
REGISTERS = re.compile('(un)?register')
SETS = re.compile(
    'set_|add_|addfont$|captureWarnings$|install_opener$|setLogRecordFactory$|setLoggerClass$'
    '|setfirstweekday$|setrlimit$|nice$'
)
MUTATORS = set(
    'add append appendleft clear discard extend insert pop popitem remove reverse setdefault sort update'.split()
)
CONTAINERS = (list, dict, set)


def check_stores(tree):
    import ast

    names = imported_by(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            check_target(node, names)
        elif isinstance(node, ast.Call):
            check_call(node, names)
        for decorator in getattr(node, 'decorator_list', ()):
            check_function(decorator, names)


# Also what a function imports for itself.
def imported_by(tree):
    import ast

    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                name = a.name if a.asname else a.name.partition('.')[0]
                found[a.asname or name] = sys.modules.get(name)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update(
                (a.asname or a.name, attribute_of(sys.modules.get(node.module), a.name)) for a in node.names
            )
    return {**found, **SCOPE}


def attribute_of(module, name):
    return vars(module).get(name) if type(module) is MODULE else None


def check_call(node, names):
    import ast

    if isinstance(node.func, ast.Name) and node.func.id in ('setattr', 'delattr') and node.args:
        check_target(node.args[0], names)
    check_function(node.func, names)


def check_target(target, names):
    import ast

    if isinstance(target, ast.Subscript) and ast.unparse(target.value) == 'os.environ':
        return
    root = root_of(target)
    if isinstance(root, ast.Name) and is_foreign(names.get(root.id)):
        raise Unfit('it sets an attribute or item of %s' % root.id)


def check_function(function, names):
    import ast

    root = root_of(function)
    if not isinstance(root, ast.Name) or not is_foreign(names.get(root.id)):
        return
    last = function.attr if isinstance(function, ast.Attribute) else root.id
    # `on_error(…)` may be `codecs.register_error`.
    called = last if function is not root else getattr(names[root.id], '__name__', last)
    library = names[root.id]
    compared = package_of(library) in COMPARED or library in modules_in_folder().values()
    if any(REGISTERS.match(n) or SETS.match(n) and not compared for n in (last, called)):
        raise Unfit('it calls %s' % ast.unparse(function))
    if last in MUTATORS and not compared and isinstance(function, ast.Attribute):
        if isinstance(in_module(function.value, names), CONTAINERS):
            raise Unfit('it changes %s' % ast.unparse(function.value))


def root_of(node):
    import ast

    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


def package_of(value):
    name = value.__name__ if type(value) is MODULE else str(getattr(value, '__module__', ''))
    return name.partition('.')[0]


# What an expression such as `keyword.kwlist` finds in a module, without running any code.
def in_module(node, names):
    import ast

    if not isinstance(node, ast.Attribute):
        return None
    home = node.value
    module = names.get(home.id) if isinstance(home, ast.Name) else in_module(home, names)
    return attribute_of(module, node.attr)


def is_foreign(value):
    return type(value) is MODULE or isinstance(value, (type, FUNCTION, type(len))) and not is_own(value)
