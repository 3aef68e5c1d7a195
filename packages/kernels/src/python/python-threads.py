# The part of the Python driver that knows which cell a thread belongs to: a thread that outlives its cell keeps that
# cell's permissions, whichever cell runs meanwhile. A thread that no Python code started has those of the running cell.
#
# Asyncio tasks do not need this: they are cancelled at the end of their cell.

import _thread
import sys


class Cell:
    def __init__(self, name, permissions):
        self.name, self.permissions = name, permissions


RUNNING = Cell('', {})
THREAD = _thread._local()


def owner():
    return getattr(THREAD, 'owner', RUNNING)


def keeping_owner(start):
    def begin(function, *args, **options):
        mine = owner()

        def run(*a, **k):
            THREAD.owner = mine
            return function(*a, **k)

        return start(run, *args, **options)

    return begin


def set_running(name, permissions):
    global RUNNING
    RUNNING = Cell(name, permissions)


def keep_owners():
    for module, prefix in ((_thread, ''), (sys.modules.get('threading'), '_')):
        for name in ('start_new_thread', 'start_new', 'start_joinable_thread'):
            start = getattr(module, prefix + name, None)
            if start is not None:
                setattr(module, prefix + name, keeping_owner(start))
