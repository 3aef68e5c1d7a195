/**
 * The part of the Python driver that only pages have: streams and outputs go to JavaScript, and a notebook that runs
 * again gets a new `__main__`. The rest is the driver of the command line (`@woof/kernels/python-source`).
 */
export const PYODIDE_CORE = `
import builtins, io, sys
from _json import encode_basestring_ascii as quote

class PolicyError(PermissionError):
    pass

class Policy:
    memory = whole = None

class P:
    running = False

builtins.PolicyError = PolicyError

class Stream(io.TextIOBase):
    def __init__(self, name):
        self.stream_name = name
    encoding = 'utf-8'
    errors = 'backslashreplace'
    def writable(self):
        return True
    def isatty(self):
        return False
    def write(self, text):
        if not isinstance(text, str):
            raise TypeError('write() argument must be str, not %s' % type(text).__name__)
        if text:
            say_stream(self.stream_name, text.encode('utf-8', 'backslashreplace').decode())
        return len(text)

sys.stdout = sys.__stdout__ = Stream('stdout')
sys.stderr = sys.__stderr__ = Stream('stderr')

def emit(kind, data, metadata='{}'):
    if not P.running:
        raise RuntimeError('display() works only while a cell runs')
    say_output('{"output_type":"%s","data":%s,"metadata":%s}' % (kind, data, metadata))

LOADED = {}

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
    raise RuntimeError('input() does not work because cells run unattended. Pass the value in "parameters" of the header, or with --set')

builtins.input = no_input
sys.argv = ['']
SCOPE = {}

def reset(parameters):
    import json
    main = type(sys)('__main__')
    globals()['SCOPE'] = main.__dict__
    SCOPE['__builtins__'] = builtins
    main.__spec__ = None
    sys.modules['__main__'] = main
    SCOPE['woof'] = woof = Woof()
    SCOPE['parameters'] = woof.parameters = json.loads(parameters)
    SCOPE['display'] = display
    if 'values' in LOADED:
        BOUND.clear()
    if 'random' in sys.modules:
        sys.modules['random'].seed()

# The page's own loop runs what a cell awaits.
async def run(cell, code):
    P.running = True
    try:
        codes, shows = pieces(code, '<%s>' % cell)
        if any(c.co_flags & 0x80 for c in codes):
            part('failure')
            value = await both(codes)
        else:
            value = evaluate(codes)
        if shows and value is not None:
            publish(value)
        return ''
    except BaseException as e:
        part('failure')
        return describe(e)
    finally:
        P.running = False

def bind(name, text, gentle):
    import json
    part('values')
    bind_value(name, json.loads(text), {}, gentle)

def read(name):
    part('values')
    return read_value(name)
`;
