# The part of the Python driver that runs a cell, and the loop that reads requests. It follows `python-core.py`.

import _frozen_importlib_external
import _signal
import os
import sys


# Calls `then` with a module right after it was loaded.
class AfterLoading:
    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self.name or name in sys.modules:
            return None
        spec = _frozen_importlib_external.PathFinder.find_spec(name, path, target)
        loader = spec and spec.loader
        if hasattr(loader, 'exec_module'):

            def exec_module(module):
                del loader.exec_module
                loader.exec_module(module)
                self.then(module)

            loader.exec_module = exec_module
        return spec


# Outside of Jupyter, IPython's `display` only prints `repr`. Cells that import it mean the display of their notebook.
def put_display(module):
    module.display = display


sys.meta_path.insert(0, AfterLoading('IPython.core.display_functions', put_display))


def run(q):
    set_policy(q['declared'], q['cell'])
    Limits.memory = q['memoryMb']
    name = '<%s>' % q['cell']
    track(q['track'], q['code'], name)
    aside = put_aside(q['replaced']) if TRACKING else {}
    handlers = signal_handlers()
    Stream.last = None
    fields = failure_of(execute_whole, q['code'], name)
    if aside:
        give_back_unless_assigned(aside)
    # An error holds the objects of the functions that it passed through, so this comes after it is gone.
    later = failure_of(discard_cycles)
    mark()
    reopen()
    end_timers()
    restore_handlers(handlers)
    return fields or later


# Runs a part of the cell. A process that the cell forked ends here.
def failure_of(step, *args):
    fields = ''
    try:
        try:
            P.running = True
            listen(True)
            step(*args)
        finally:
            P.running = False
            if os.getpid() == PID:
                listen(False)
    except BaseException as e:
        part('failure')
        fields = describe(e)
        if os.getpid() != PID:
            sys.stderr.write('\n'.join(formatted(e)) + '\n')
    finally:
        if os.getpid() != PID:
            flush_all()
            os._exit(1 if fields else 0)
    return fields


def execute_whole(code, name):
    show_warnings_again()
    discard_cycles()
    try:
        execute(code, name)
        if 'matplotlib.pyplot' in sys.modules:
            part('display')
            show_figures()
    finally:
        if LOOPS and os.getpid() == PID:
            settle_loop()


# Python shows a warning once per line of a module, and all cells are one module to Python, so a cell's output would
# depend on the cells before it. Leaving catch_warnings makes all modules forget which warnings they have shown.
def show_warnings_again():
    if 'warnings' in sys.modules:
        with sys.modules['warnings'].catch_warnings():
            pass


# Timers and handlers run in the main thread, and would fire during a later cell.
def end_timers():
    for timer in (_signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL, _signal.ITIMER_PROF):
        _signal.setitimer(timer, 0)


def signal_handlers():
    return [_signal.getsignal(n) for n in range(1, _signal.NSIG)]


def restore_handlers(handlers):
    for number, handler in enumerate(handlers, 1):
        if _signal.getsignal(number) is not handler:
            _signal.signal(number, _signal.SIG_DFL if handler is None else handler)


# A cell may have closed or replaced the streams, and the next cell writes to them again.
def reopen():
    global STREAMS
    os.dup2(OUT, 1)
    os.dup2(ERR, 2)
    old, STREAMS = STREAMS, tuple(make_stream(n + 1) if s.closed else s for n, s in enumerate(STREAMS))
    for name, before, now in zip(('stdout', 'stderr'), old, STREAMS):
        for each in (name, '__%s__' % name):
            if getattr(sys, each) is before:
                setattr(sys, each, now)


def settle_loop():
    try:
        cancel_tasks()
    finally:
        renew_executor()


# Words after which code may show when Python discards an object.
NOTICING = ('__del__', 'weakref', 'atexit')


class Ends:
    noticed = False


# Python discards cycles at a moment that depends on everything that the process did before. If this may show, they are
# discarded when a cell begins and when it ends.
def discard_cycles():
    if Ends.noticed:
        import gc

        gc.collect()


TRACKING = []


# If the end of an object may show, no cell can be restored, so nothing is recorded.
def track(yes, code, name):
    del TRACKING[:]
    Ends.noticed = Ends.noticed or any(word in code for word in NOTICING)
    if Ends.noticed:
        return
    if yes or 'capture' in LOADED:
        load_capture()
        LAST.code, LAST.name = code, name
    if yes:
        look_or_not()


# What a cell left may be impossible to examine. Then the next cells are not tracked, but they run.
def look_or_not():
    try:
        TRACKING.append(look())
    except Exception:
        del TRACKING[:]


def load_capture():
    for name in ('pickle', 'world', 'stores', 'capture'):
        part(name)


def capture(q):
    load_capture()
    import json

    try:
        known, data = capture_cell()
        answer = {'complete': True, 'symbols': base64.b64encode(data).decode(), **known}
    except Unfit as e:
        answer = {'complete': False, 'reason': str(e), **e.known}
    except Exception as e:  # Classes of a cell may answer the driver's questions as they like.
        answer = {'complete': False, 'reason': 'its values cannot be read: %s' % type(e).__name__}
    del TRACKING[:]
    return ',"value":' + json.dumps(answer)


def restore(q):
    load_capture()
    set_policy(Policy.whole)
    restore_symbols(q['symbols'])
    return ''


def bind(q):
    part('values')
    set_policy(Policy.whole)
    return bind_value(q['id'], q['value'], q['tables'], q['gentle'])


def read(q):
    part('values')
    return read_value(q['name'], q['tables'])


def too_deep(q):
    raise ValueError('a value is nested too deeply for Python to read as JSON: use a flatter value')


COMMANDS = {
    'too_deep': too_deep,
    'hello': hello,
    'run': run,
    'bind': bind,
    'read': read,
    'capture': capture,
    'restore': restore,
}


# A kernel without its channel cannot continue. The next cell gets a new kernel.
def leave():
    try:
        os.write(
            2,
            b'the cell closed descriptors that its kernel needs: close only descriptors that your code opened\n',
        )
    finally:
        os._exit(70)


def main():
    while True:
        line = receive()
        if not line:
            continue
        q = parse(line)
        P.n, P.token, P.marks = q['n'], q['token'], 0
        try:
            fields = COMMANDS[q['do']](q)
        except BaseException as e:
            part('failure')
            fields = describe(e)
        try:
            send('end', fields)
        except OSError:
            leave()
        P.token = ''


main()
