/**
 * More privileges than granted: namespaces, mounts, capabilities, kernel settings. Whatever works is undone at once, so
 * that a broken sandbox causes no harm.
 */
import { type Attempt, type Permission, saysSo, showsSecret } from '../attempt.ts';

const EVERYTHING: Permission[] = ['fs', 'net', 'shell'];

const gains = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code,
  allowed: EVERYTHING,
  escaped: saysSo,
  ...more,
});

const asRoot = (name: string, code: string, more: Partial<Attempt> = {}): Attempt =>
  gains(name, code, { privileged: true, ...more });

export const PRIVILEGES: Attempt[] = [
  gains('makes a user namespace by unshare', `libc.unshare(0x10000000) == 0 and won()`),
  gains(
    'makes a user namespace by clone',
    `p = libc.syscall(CALL['clone'], 0x10000000 | 17, 0, 0, 0, 0)
if p == 0: os._exit(0)
p > 0 and won()`,
  ),
  gains(
    'makes a user namespace by clone3',
    `a = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17, 0, 0, 0)
p = libc.syscall(435, a, 64)
if p == 0: os._exit(0)
p > 0 and won()`,
  ),
  gains('becomes root by a user namespace, in bash', `unshare --user --map-root-user true && won`, {
    language: 'bash',
  }),
  asRoot(
    'mounts',
    `for p in (W['outside'].encode(), b'/tmp'):
    if libc.mount(b'none', p, b'tmpfs', 0, None) == 0: libc.umount2(p, 2); won(); break`,
  ),
  asRoot(
    'makes a read-only mount writable',
    `for p in (W['ro'], '/', '/usr', '/usr/lib', '/proc/sys', '/dev'):
    if os.path.exists(p) and os.statvfs(p).f_flag & 1 and libc.mount(None, p.encode(), None, 0x1020, None) == 0:
        os.statvfs(p).f_flag & 1 or won(); libc.mount(None, p.encode(), None, 0x1021, None)`,
  ),
  asRoot(
    'takes away the mount that hides .woof',
    `libc.umount2((W['work'] + '/.woof').encode(), 2); show(W['work'] + '/.woof/secret')`,
    { escaped: showsSecret },
  ),
  asRoot(
    'takes a copy of the tree of mounts',
    `fd = libc.syscall(428, -100, b'/', 1 | 0x8000); fd >= 0 and won()`,
  ),
  asRoot(
    'changes its root',
    `libc.chroot(W['outside'].encode()) == 0 or libc.chroot(b'/tmp') == 0 or quit()
won()`,
  ),
  asRoot('becomes user 0', `libc.setresuid(0, 0, 0) == 0 and won()`),
  asRoot(
    'has a capability',
    `int([l for l in open('/proc/self/status') if l.startswith('CapEff')][0].split()[1], 16) and won()`,
  ),
  asRoot(
    'gets a capability back',
    `h = (ctypes.c_uint32 * 2)(0x20080522, 0); d = (ctypes.c_uint32 * 6)(1 << 21, 1 << 21, 0, 0, 0, 0); libc.capset(h, d) == 0 and won()`,
  ),
  asRoot(
    'changes the name of the machine',
    `n = os.uname().nodename.encode(); libc.sethostname(n, len(n)) == 0 and won()`,
  ),
  asRoot(
    'opens a setting of the kernel for writing',
    `libc.open(b'/proc/sys/net/ipv4/ip_forward', 1) >= 0 and won()`,
  ),
  asRoot(
    'finds any setting of the kernel that it may write',
    `any(libc.access(os.path.join(r, f).encode(), 2) == 0 for r, _, fs in os.walk('/proc/sys/net/ipv4') for f in fs) and won()`,
  ),
  asRoot(
    'gives a file a capability',
    `f = (W['work'] + '/cap-' + W['token']).encode(); os.close(os.open(f, os.O_CREAT, 0o755))
import struct; v = struct.pack('<5I', 0x02000001, 1 << 21, 0, 0, 0)
libc.setxattr(f, b'security.capability', v, 20, 0) == 0 and won()`,
  ),
  gains(
    'keeps a key in the kernel',
    `libc.syscall(CALL['add_key'], b'user', b'woof-' + W['token'].encode(), b'x', 1, -2) > 0 and won()`,
  ),
  gains(
    'makes a message queue',
    `n = b'woof' + W['token'].encode(); q = libc.syscall(CALL['mq_open'], n, 0o102, 0o600, None); q >= 0 and (libc.syscall(CALL['mq_unlink'], n), won())`,
  ),
];
