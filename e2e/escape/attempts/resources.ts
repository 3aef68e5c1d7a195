/** Resource bombs, each with its own limit, and ways to outlive the timeout. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type Attempt, type Seen, saysSo } from '../attempt.ts';

/** A pipe that nothing holds open for writing is at its end at once; one that is held would have to wait. */
function outlives({ fifo }: Seen): boolean {
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return readSync(reader, Buffer.alloc(1)) > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN';
  } finally {
    closeSync(reader);
  }
}

/** Holds the pipe of the attempt; ends by itself when the test is over, however it went. */
const STAY = `held = os.open(W['fifo'], os.O_RDWR)
def stay(until=time.time() + 60):
    while time.time() < until and not os.path.exists(W['work'] + '/over'): time.sleep(0.01)
`;
const DAEMON = `import time
${STAY}told, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (1, 2): os.dup2(os.open('/dev/null', 1), fd)
        os.write(tell, b'x'); stay(); os._exit(0)
    os._exit(0)
os.wait(); os.read(told, 1); os.close(held)
`;

const stays = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code,
  allowed: ['fs'],
  escaped: outlives,
  ...more,
});

export const RESOURCES: Attempt[] = [
  {
    name: 'forks without end',
    code: `import signal
pids = []
try:
    while len(pids) < 600:
        pid = os.fork()
        if pid == 0: signal.pause(); os._exit(0)
        pids.append(pid)
    won()
except OSError as e: print(e)
for pid in pids: os.kill(pid, 9); os.waitpid(pid, 0)`,
    escaped: saysSo,
  },
  {
    name: 'starts threads without end',
    code: `import threading
threading.stack_size(65536); stop = threading.Event(); threads = []
try:
    while len(threads) < 600: t = threading.Thread(target=stop.wait); t.start(); threads.append(t)
    won()
except RuntimeError as e: print(e)
stop.set()`,
    escaped: saysSo,
  },
  {
    name: 'takes more memory than it may',
    code: `x = bytearray(400 << 20); won()`,
    tokens: 'memory_mb=200',
    escaped: saysSo,
  },
  {
    name: 'takes more memory than it may, in a child',
    code: `p = os.fork()
if p == 0:
    x = bytearray(400 << 20); won(); os._exit(0)
os.waitpid(p, 0)`,
    tokens: 'memory_mb=200',
    escaped: saysSo,
  },
  {
    name: 'fills the shared memory',
    code: `fd = libc.open(('/dev/shm/woof-fill-' + W['token']).encode(), 0o102, 0o600); libc.unlink(('/dev/shm/woof-fill-' + W['token']).encode())
libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(80 << 20)) == 0 and won()`,
    privileged: true,
    escaped: saysSo,
  },
  {
    name: 'finds a disk without a bound that it may fill',
    code: `for p in [line.split()[4] for line in open('/proc/self/mountinfo')] + [W[k] for k in ('work', 'outside', 'home', 'tmp')]:
    if not os.path.isdir(p) or p.startswith(('/proc', '/sys')) or libc.access(p.encode(), 2): continue
    s = os.statvfs(p)
    if not s.f_flag & 1 and s.f_blocks * s.f_frsize > 1 << 30: won(); break`,
    escaped: saysSo,
  },
  {
    name: 'fills the disk with what it prints',
    code: `for _ in range(16): print('x' * (1 << 20))`,
    escaped: ({ keptBytes }) => keptBytes > 12 << 20,
  },
  {
    name: 'fills the disk with what it prints, in bash',
    language: 'bash',
    code: `head -c 16777216 /dev/zero | tr '\\0' x; head -c 16777216 /dev/zero | tr '\\0' y >&2`,
    escaped: ({ keptBytes }) => keptBytes > 12 << 20,
  },
  stays('leaves a daemon behind', DAEMON),
  stays(
    'leaves a daemon behind, in bash',
    `read -r _ < <( setsid bash -c 'exec 8<>"$1"; echo; exec >/dev/null; for _ in {1..6000}; do [ -e "$2" ] && exit; sleep 0.01; done' - "\${W[fifo]}" "\${W[work]}/over" 2>/dev/null </dev/null & )`,
    { language: 'bash', allowed: ['fs', 'shell'] },
  ),
  stays(
    'outlives the time-out by a double fork',
    `${DAEMON}print('re' + 'ady', flush=True); time.sleep(30)`,
    {
      tokens: 'timeout=1',
      endless: true,
    },
  ),
  stays(
    'outlives the time-out by ignoring interrupts',
    `import time
${STAY}said = False
while True:
    try:
        if not said: print('re' + 'ady', flush=True)
        said = True; stay(); break
    except BaseException: print('he' + 'ard', flush=True)`,
    { tokens: 'timeout=1', endless: true },
  ),
  stays(
    'outlives the time-out by blocking all signals',
    `import time, signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
${STAY}print('re' + 'ady', flush=True)
while not signal.sigpending() and not os.path.exists(W['work'] + '/over'): time.sleep(0.01)
print('he' + 'ard', flush=True); stay()`,
    { tokens: 'timeout=1', endless: true },
  ),
];
