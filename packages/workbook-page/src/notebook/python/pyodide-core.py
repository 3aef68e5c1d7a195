# The part of the Python driver that only pages have: streams and outputs go to JavaScript, and a notebook that runs
# again gets a new `__main__`. The rest is the driver of kernels (`@woof/kernels/python-source`).

import io
import sys


# A page has no policy, and its browser no audit hook: nothing raises it.
class PolicyError(PermissionError):
    pass


class P:
    running = False


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


def reset(parameters):
    import json

    begin_main(json.loads(parameters))
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
