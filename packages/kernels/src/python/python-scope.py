# The part of the Python driver that defines what cells find: their `__main__` and its contents. It is the same in
# kernels and in pages, which define `PARTS`, `PolicyError` and `emit`.

import builtins
import sys


class Limits:
    memory = None


LOADED = {}


# Rarely needed code is compiled when a cell needs it.
def part(name):
    if name not in LOADED:
        LOADED[name] = True
        exec(compile(PARTS[name], '<woof>', 'exec'), globals())


class Woof(dict):
    parameters = {}


def display(*values, metadata=None, **options):
    part('display')
    for value in values:
        show('display_data', value, metadata, options.get('raw', False))


def no_input(prompt=''):
    raise RuntimeError(
        'input() does not work because cells run unattended. Pass the value in "parameters" of the header, or with --set'
    )


SCOPE = {}


def begin_main(parameters):
    global SCOPE
    main = type(sys)('__main__')
    main.__spec__ = None
    sys.modules['__main__'] = main
    SCOPE = main.__dict__
    SCOPE['__builtins__'] = builtins
    SCOPE['woof'] = woof = Woof()
    SCOPE['parameters'] = woof.parameters = parameters
    SCOPE['display'] = display
    builtins.PolicyError = PolicyError
    builtins.input = no_input
    sys.argv = ['']
