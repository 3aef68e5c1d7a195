# A process that the test starts beside the attempts. It listens wherever they may send to and reports what arrives. It
# has a secret in its environment, command line, memory and shared memory, and in a file that it holds open.

import ctypes
import json
import os
import selectors
import socket
import sys

outside, work, abstract, secret = sys.argv[1:5]
libc = ctypes.CDLL(None, use_errno=True)
# With Yama, only this lets a process other than an ancestor trace it: the control must work.
libc.prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)
os.umask(0)
memory = ctypes.create_string_buffer(secret.encode())
path = outside + '/open'
held = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
os.write(held, secret.encode())
os.unlink(path)
key = int.from_bytes(os.urandom(3), 'big') | 1 << 24
segment = libc.shmget(key, 4096, 0o1666)
libc.shmat.restype = ctypes.c_void_p
ctypes.memmove(libc.shmat(segment, None, 0), secret.encode(), len(secret))


def listen(family, kind, address):
    s = socket.socket(family, kind)
    s.bind(address)
    if kind == socket.SOCK_STREAM:
        s.listen(50)
    return s


S, D = socket.SOCK_STREAM, socket.SOCK_DGRAM
tcp, udp = listen(socket.AF_INET, S, ('127.0.0.1', 0)), listen(socket.AF_INET, D, ('127.0.0.1', 0))
unix = [
    listen(socket.AF_UNIX, k, p)
    for k, p in (
        (S, work + '/stream'),
        (S, outside + '/stream'),
        (D, outside + '/datagram'),
        (S, '\0' + abstract + '-stream'),
        (D, '\0' + abstract + '-datagram'),
    )
]


def say(value):
    print(json.dumps(value), flush=True)


say(
    {
        'pid': os.getpid(),
        'tcp': tcp.getsockname()[1],
        'udp': udp.getsockname()[1],
        'open': held,
        'shm': key,
        'address': ctypes.addressof(memory),
    }
)
chosen = selectors.DefaultSelector()
for s in (tcp, udp, *unix):
    chosen.register(s, selectors.EVENT_READ)
chosen.register(0, selectors.EVENT_READ)
try:
    while True:
        for ready, _ in chosen.select():
            s = ready.fileobj
            if s == 0:
                raise SystemExit
            if s.type == S and s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                chosen.register(s.accept()[0], selectors.EVENT_READ)
                continue
            try:
                data = s.recv(65536)
            except OSError:
                data = b''
            if data:
                say({'received': data.decode('latin1')})
            # A client that requests a page would wait for it.
            if s.type == S and (not data or data.startswith(b'GET ')):
                chosen.unregister(s)
                s.close()
finally:
    libc.shmctl(segment, 0, None)
