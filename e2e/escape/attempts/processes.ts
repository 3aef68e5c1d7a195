/** Other processes, seen by a bystander that the test started; secrets of the environment. */
import { type Attempt, type Permission, saysSo, showsSecret } from '../attempt.ts';

const EVERYTHING: Permission[] = ['fs', 'net', 'shell'];

const learns = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code,
  allowed: EVERYTHING,
  escaped: showsSecret,
  ...more,
});

const succeeds = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code,
  allowed: EVERYTHING,
  escaped: saysSo,
  ...more,
});

export const PROCESSES: Attempt[] = [
  learns('finds a secret in its environment', `print(dict(os.environ))`, { allowed: [] }),
  learns('finds a secret in /proc/self/environ', `show('/proc/self/environ', 9999)`),
  learns(
    "finds a secret in libc's environment",
    `p = libc.getenv; p.restype = ctypes.c_char_p; print(p(b'WOOF_TEST_SECRET'))`,
  ),
  learns('finds a secret in its environment, in JavaScript', `console.log(process.env)`, {
    language: 'javascript',
    allowed: [],
  }),
  learns('finds a secret in its environment, in bash', `env`, { language: 'bash' }),
  learns("reads another process's environment", `show('/proc/%d/environ' % W['pid'], 9999)`),
  learns("reads another process's command line", `show('/proc/%d/cmdline' % W['pid'], 99999)`),
  learns(
    "reads another process's memory",
    `fd = libc.open(b'/proc/%d/mem' % W['pid'], 0); print(os.pread(fd, 99, W['address']))`,
  ),
  learns(
    "reads another process's memory by process_vm_readv",
    `b = ctypes.create_string_buffer(99)
here = (ctypes.c_uint64 * 2)(ctypes.addressof(b), 64); there = (ctypes.c_uint64 * 2)(W['address'], 64)
libc.process_vm_readv(W['pid'], here, 1, there, 1, 0); print(b.raw)`,
  ),
  learns('reads what another process has open', `show('/proc/%d/fd/%d' % (W['pid'], W['open']))`),
  learns(
    'takes a descriptor of another process',
    `p = libc.syscall(434, W['pid'], 0); fd = libc.syscall(438, p, W['open'], 0); print(os.pread(fd, 99, 0))`,
  ),
  learns("enters another process's folder", `show('/proc/%d/cwd/secret' % W['pid'])`),
  learns("enters another process's root", `show('/proc/%d/root%s/secret' % (W['pid'], W['outside']))`),
  learns(
    'reads shared memory of another process',
    `i = libc.shmget(W['shm'], 0, 0o400); at = libc.shmat; at.restype = ctypes.c_void_p
if i >= 0: print(ctypes.string_at(at(i, None, 0o10000), 64))`,
  ),
  succeeds('sees another process', `libc.access(b'/proc/%d' % W['pid'], 0) == 0 and won()`, {
    allowed: EVERYTHING,
  }),
  succeeds('signals another process', `libc.kill(W['pid'], 0) == 0 and won()`),
  succeeds('traces another process', `libc.ptrace(0x4206, W['pid'], None, None) == 0 and won()`),
  succeeds('slows another process down', `libc.setpriority(0, W['pid'], 1) == 0 and won()`),
  succeeds(
    "changes another process's limits",
    `l = (ctypes.c_uint64 * 2)(); libc.prlimit(W['pid'], 4, None, l) == 0 and libc.prlimit(W['pid'], 4, l, None) == 0 and won()`,
  ),
  succeeds(
    'binds another process to a processor',
    `m = ctypes.c_uint64(0)
libc.sched_getaffinity(W['pid'], 8, ctypes.byref(m)) >= 0 and libc.sched_setaffinity(W['pid'], 8, ctypes.byref(m)) == 0 and won()`,
  ),
  succeeds(
    'joins the namespace of another process',
    `fd = libc.open(b'/proc/%d/ns/uts' % W['pid'], 0); fd >= 0 and won()`,
  ),
];
