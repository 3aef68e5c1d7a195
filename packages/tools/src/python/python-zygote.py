# The part of the driver that runs outside tasks: a warm interpreter, the zygote, which forks one child per task. It
# uses only the standard library. Because a child has its user id, it defends itself:
# - Its channel (descriptor 3) is closed in the child before any task code runs, and it is not dumpable, so the child
#   can neither trace it, read its memory, nor take its descriptors.
# - It never looks into a payload or a result: they pass through one buffer that is wiped, so that no task can find
#   another's data in the memory from which it is forked.
# - After a task it kills every other process of the sandbox, empties the temporary folders, and compares what a child
#   could have changed (limits, priority, IPC objects). If anything is left or different, it exits, and the sandbox with
#   it.
# - It imports modules for later tasks only on request of the host, and only from the standard library: every page that
#   it holds makes each fork slower (0.6 ms bare, 1.3 ms with asyncio and urllib).
#
# Frames, both ways: one letter, a 4-byte length, bytes. To the host: R ready, O stdout, E stderr, V outcome, X wait
# status, C clean. From the host: T task, L modules to learn.

import ctypes
import gc
import os
import resource
import select
import signal
import struct
import sys
import time

CHANNEL = 3
# In the sandbox this is process 2. The second test guards kill(-1), which elsewhere would reach the whole machine.
ISOLATED = sys.argv[1] == 'isolated' and os.getpid() == 2
FILES = sys.argv[2] == 'files'
WORKDIR = sys.argv[3]
TMP = sys.argv[4]
PRCTL = ctypes.CDLL(None).prctl
BUFFER = bytearray(65536)
VIEW = memoryview(BUFFER)


def dumpable(yes):
    if PRCTL(4, yes, 0, 0, 0) != 0:
        raise OSError('prctl failed')


def write_all(fd, view):
    while view:
        view = view[os.write(fd, view) :]


def frame(letter, view):
    write_all(CHANNEL, memoryview(struct.pack('>cI', letter, len(view))))
    write_all(CHANNEL, view)


def read_into(fd, size):
    return os.readv(fd, [VIEW[:size]])


def pour(fd, size):
    while size:
        n = read_into(CHANNEL, min(size, len(BUFFER)))
        if n == 0:
            sys.exit(0)
        size -= n
        try:
            write_all(fd, VIEW[:n])
        except BrokenPipeError:
            pass


def relay(letter, fd):
    n = read_into(fd, len(BUFFER))
    if n:
        frame(letter, VIEW[:n])
    return n


def shape():
    limits = [resource.getrlimit(n) for n in range(16)]
    return (
        limits,
        os.nice(0),
        os.sched_getaffinity(0),
        os.getcwd(),
        signal.pthread_sigmask(signal.SIG_BLOCK, []),
    )


def supervise(pid, pipes):
    poll = select.poll()
    for fd in pipes:
        poll.register(fd, select.POLLIN)
    end = os.pidfd_open(pid) if hasattr(os, 'pidfd_open') else None
    if end is not None:
        poll.register(end, select.POLLIN)
    status = None
    while status is None:
        for fd, _ in poll.poll(None if end is not None else 5):
            if fd != end and relay(pipes[fd], fd) == 0:
                poll.unregister(fd)
                pipes.pop(fd)
                os.close(fd)
        done, code = os.waitpid(pid, os.WNOHANG)
        if done:
            status = code
    if end is not None:
        os.close(end)
    return status


def kill_rest(pid):
    try:
        if ISOLATED:
            os.kill(-1, signal.SIGKILL)
        else:
            os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def drain(pipes):
    for fd, letter in pipes.items():
        os.set_blocking(fd, ISOLATED)
        try:
            while relay(letter, fd):
                pass
        except BlockingIOError:
            pass
        os.close(fd)


def alone():
    for _ in range(100):
        if {int(n) for n in os.listdir('/proc') if n.isdigit()} <= {1, 2}:
            return True
        time.sleep(0.002)
    return False


def holds_workdir(path):
    return WORKDIR == path or WORKDIR.startswith(path + '/')


# A different device is another mount: the working directory, whose files belong to the user.
def empty(folder, device):
    for entry in os.scandir(folder):
        if entry.stat(follow_symlinks=False).st_dev != device:
            continue
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            empty(entry.path, device)
            if not holds_workdir(entry.path):
                os.rmdir(entry.path)
        else:
            os.unlink(entry.path)


def no_ipc():
    return all(len(open('/proc/sysvipc/' + n).readlines()) == 1 for n in ('shm', 'sem', 'msg'))


def clean(before):
    try:
        for folder, device in FOLDERS.items():
            empty(folder, device)
        return not ISOLATED or alone() and no_ipc() and shape() == before
    except (OSError, RecursionError):
        return False


def fork_task(size):
    request, out, err, res = os.pipe(), os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(CHANNEL)
        for fd in (request[1], out[0], err[0], res[0]):
            os.close(fd)
        os.setsid()
        os.dup2(out[1], 1)
        os.dup2(err[1], 2)
        os.close(out[1])
        os.close(err[1])
        dumpable(1)
        PRCTL(1, signal.SIGKILL, 0, 0, 0)
        gc.enable()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        TASK(request[0], res[1])
        os._exit(0)
    for fd in (request[0], out[1], err[1], res[1]):
        os.close(fd)
    pour(request[1], size)
    os.close(request[1])
    return pid, {out[0]: b'O', err[0]: b'E', res[0]: b'V'}


def read_exactly(size):
    data = bytearray()
    while len(data) < size:
        part = os.read(CHANNEL, size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def learn(size):
    for name in read_exactly(size).decode().split(','):
        try:
            __import__(name)
        except ImportError:
            pass


def main():
    dumpable(0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    frame(b'R', memoryview(b''))
    while True:
        gc.freeze()
        before = shape()
        order, size = struct.unpack('>cI', read_exactly(5))
        if order == b'L':
            learn(size)
            continue
        pid, pipes = fork_task(size)
        status = supervise(pid, pipes)
        kill_rest(pid)
        drain(pipes)
        BUFFER[:] = bytes(len(BUFFER))
        frame(b'X', memoryview(struct.pack('>i', status)))
        if not clean(before):
            return
        frame(b'C', memoryview(b''))


OWN = (TMP, '/dev/shm') if ISOLATED else (TMP,)
FOLDERS = {f: os.stat(f).st_dev for f in OWN if not (FILES and WORKDIR == f)}
TASK = TASK_MAIN
main()
