# Loads parts of the driver for tests. The parts share one namespace, as they do in a kernel.

import pathlib
import types

HERE = pathlib.Path(__file__).parent


def load(*names, **given):
    scope = {'__name__': 'woof', **given}
    for name in names:
        path = HERE / ('python-%s.py' % name)
        exec(compile(path.read_text(), str(path), 'exec'), scope)
    return types.SimpleNamespace(**scope)
