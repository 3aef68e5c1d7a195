# Saves the state of an IPython session as text, for a session with other permissions: the names of its cells that can
# be pickled, and the working directory. A name that cannot be pickled has no value there, and using it raises a
# NameError that names the cell that made it. Also contains the audit hook that names the policy.

import base64
import io
import os
import zlib


OURS = {'In', 'Out', 'exit', 'quit', 'get_ipython', 'open', 'woof', 'parameters'}


def movable():
    return {n: v for n, v in SCOPE.items() if n not in OURS and not n.startswith('_')}


def save_state():
    kept, left = {}, []
    for name, value in movable().items():
        try:
            pickled({name: value}, Walk())
            kept[name] = value
        except Unfit:
            left.append(name)
    try:
        data = pickled(
            (kept, dict(SCOPE['woof']), {**LEFT, **{n: MADE.get(n) for n in left}}, dict(MADE), os.getcwd()),
            Walk(),
        )
    except Unfit as e:
        raise RuntimeError(
            'Woof cannot move the variables of earlier cells to a process with other permissions: %s' % e
        ) from None
    return ',"value":"' + base64.b64encode(zlib.compress(data, 1)).decode() + '"'


def load_state(text):
    kept, woof, left, made, folder = CellUnpickler(io.BytesIO(zlib.decompress(base64.b64decode(text)))).load()
    try:
        os.chdir(folder)
    except OSError:
        pass  # This process may not see the directory.
    SCOPE['woof'].update(woof)
    SCOPE.update(kept)
    LEFT.update(left)
    MADE.update(made)


# The cell that set each name; names whose value stayed in another process; the names as they were before a cell.
MADE, LEFT, BEFORE = {}, {}, {}


def identities():
    return {n: (id(v), type(v)) for n, v in movable().items()}


def before_cell(*_):
    BEFORE.clear()
    BEFORE.update(identities())


def after_cell(result):
    cell = getattr(result.info, 'cell_id', None)
    for name, identity in identities().items():
        LEFT.pop(name, None)
        if cell is not None and BEFORE.get(name) != identity:
            MADE[name] = cell


def explain(shell, kind, error, trace, tb_offset=None):
    name = str(error).split("'")[1] if str(error).startswith("name '") else None
    if name in LEFT and name not in SCOPE:
        maker = 'cell "%s"' % LEFT[name] if LEFT[name] else 'an earlier cell'
        error.args = (
            "name '%s' is not defined: %s made it in a process with other permissions, and it cannot be pickled. "
            'Make it in this cell, or give both cells the same sidefx' % (name, maker),
        )
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def follow(shell):
    shell.events.register('pre_run_cell', before_cell)
    shell.events.register('post_run_cell', after_cell)
    shell.set_custom_exc((NameError,), explain)


if 'get_ipython' in SCOPE:
    follow(SCOPE['get_ipython']())


# The kernel itself needs files, so the sandbox alone guards them.
def deny(policy, denials):
    set_running('', policy)
    start_audit(policy, denials)
