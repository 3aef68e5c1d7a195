/** Files: above the notebook's folder, in it without permission, of the data directory, of the home. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Attempt, type Seen, showsSecret } from '../attempt.ts';

const reads = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code,
  allowed: ['fs'],
  escaped: showsSecret,
  ...more,
});

const changes = (name: string, code: string): Attempt => ({
  name,
  code,
  allowed: ['fs'],
  escaped: ({ file }) => !existsSync(file) || readFileSync(file, 'utf8') !== 'untouched',
});

const leaves = (
  name: string,
  code: string,
  place: (seen: Seen) => string,
  more: Partial<Attempt> = {},
): Attempt => ({
  name,
  code,
  escaped: (seen) => existsSync(place(seen)),
  ...more,
});

const setsId = (name: string, code: string): Attempt => ({
  name: `leaves a program that runs as its owner, by ${name}`,
  code: `f = (W['work'] + '/suid-' + W['token']).encode(); os.umask(0); ${code}`,
  allowed: ['fs'],
  escaped: ({ work, token }) =>
    ((statSync(join(work, `suid-${token}`), { throwIfNoEntry: false })?.mode ?? 0) & 0o6000) !== 0,
});

export const FILES: Attempt[] = [
  reads('reads a file above its folder', `show(W['outside'] + '/secret')`),
  reads('reads a file above its folder with open()', `print(open(W['outside'] + '/secret').read())`),
  reads('reads a file above its folder by ..', `os.chdir(W['work']); show('../outside/secret')`),
  reads('reads through a link that lies in its folder', `show(W['work'] + '/link')`),
  reads(
    'reads through a link that it makes in its folder',
    `l = W['work'] + '/l-' + W['token']; libc.symlink((W['outside'] + '/secret').encode(), l.encode()); show(l)`,
  ),
  reads(
    'reads through a link that it makes in the temporary folder',
    `l = os.environ.get('TMPDIR', W['tmp']) + '/l-' + W['token']; libc.symlink((W['outside'] + '/secret').encode(), l.encode()); show(l)`,
  ),
  reads(
    'reads through a hard link',
    `l = W['work'] + '/h-' + W['token']; libc.link((W['outside'] + '/secret').encode(), l.encode()); show(l)`,
  ),
  reads('reads above its folder over /proc/self/root', `show('/proc/self/root' + W['outside'] + '/secret')`),
  reads(
    'reads above its folder by a folder it opened before changing the root',
    `fd = libc.open(b'/', 0o200000); d = libc.openat(fd, (W['outside'] + '/secret').lstrip('/').encode(), 0); print(os.read(d, 999))`,
  ),
  reads('reads its folder without permission', `show(W['work'] + '/data')`, { allowed: [] }),
  reads('reads its folder without permission, with network and programs', `show(W['work'] + '/data')`, {
    allowed: ['net', 'shell'],
  }),
  reads(
    'reads its own folder over /proc/self/cwd',
    `libc.chdir(W['work'].encode()); show('/proc/self/cwd/data')`,
    {
      allowed: [],
    },
  ),
  reads('reads the home', `show(W['home'] + '/.netrc')`),
  reads('reads .woof', `show(W['work'] + '/.woof/secret')`),
  reads('reads the data directory', `show(W['data'] + '/secret')`),
  reads(
    'moves .woof away to read it',
    `m = W['work'] + '/moved-' + W['token']
libc.rename((W['work'] + '/.woof').encode(), m.encode()); show(m + '/secret'); libc.rename(m.encode(), (W['work'] + '/.woof').encode())`,
  ),
  leaves(
    'writes the data directory',
    `make(W['data'] + '/planted-' + W['token'])`,
    ({ work, token }) => join(work, 'state', `planted-${token}`),
    { allowed: ['fs'] },
  ),
  leaves(
    'writes above its folder',
    `make(W['outside'] + '/planted-' + W['token'])`,
    ({ outside, token }) => join(outside, `planted-${token}`),
    { allowed: ['fs'] },
  ),
  leaves(
    'writes its folder without permission',
    `make(W['work'] + '/planted-' + W['token'])`,
    ({ work, token }) => join(work, `planted-${token}`),
  ),
  leaves(
    'leaves a file in the temporary folder of the machine',
    `make(W['tmp'] + '/woof-left-' + W['token'])`,
    ({ token }) => join(tmpdir(), `woof-left-${token}`),
  ),
  leaves(
    'leaves a file in the shared memory of the machine',
    `make('/dev/shm/woof-left-' + W['token'])`,
    ({ token }) => `/dev/shm/woof-left-${token}`,
  ),
  changes('overwrites a file above its folder', `os.write(libc.open(W['file'].encode(), 1), b'changed!!')`),
  changes('truncates a file above its folder', `libc.truncate(W['file'].encode(), 0)`),
  changes('deletes a file above its folder', `libc.unlink(W['file'].encode())`),
  changes(
    'renames a file above its folder',
    `libc.rename(W['file'].encode(), (W['file'] + '-moved').encode())`,
  ),
  changes(
    'lets the host write above its folder, through a link in the place of its outputs',
    `o = W['outputs'].encode(); libc.unlink(o); print(libc.symlink(W['file'].encode(), o))`,
  ),
  changes(
    'lets the host write above its folder, through a link where it writes its outputs anew',
    `print(libc.symlink(W['file'].encode(), (W['outputs'] + '.new').encode()))`,
  ),
  setsId('chmod', `os.close(os.open(f, os.O_CREAT)); libc.chmod(f, 0o4755)`),
  setsId('fchmod', `libc.fchmod(os.open(f, os.O_CREAT), 0o2755)`),
  setsId('open', `libc.open(f, os.O_CREAT | os.O_WRONLY, 0o6755)`),
  setsId('mknod', `os.mknod(f, 0o104755)`),
  setsId('openat2', `libc.syscall(437, -100, f, (ctypes.c_uint64 * 3)(0o101, 0o4755, 0), 24)`),
  reads(
    'reads a descriptor that the host has open',
    `for fd in (5, 7, 12):
    try: print(os.pread(fd, 999, 0))
    except OSError: pass`,
  ),
  reads(
    'reads above its folder, in JavaScript',
    `console.log(require('fs').readFileSync(W.outside + '/secret', 'utf8'))`,
    {
      language: 'javascript',
    },
  ),
  reads(
    'reads above its folder in a thread, in JavaScript',
    `const { Worker } = require('worker_threads');
const code = \`const t = require('fs').readFileSync(\${JSON.stringify(W.outside + '/secret')}, 'utf8'); require('worker_threads').parentPort.postMessage(t)\`;
await new Promise((ok) => new Worker(code, { eval: true }).on('message', (t) => { console.log(t); ok(); }).on('error', (e) => { console.log(String(e)); ok(); }));`,
    { language: 'javascript' },
  ),
  reads(
    'reads its folder without permission, in JavaScript',
    `console.log(require('fs').readFileSync(W.work + '/data', 'utf8'))`,
    {
      language: 'javascript',
      allowed: [],
    },
  ),
  reads('reads above its folder, in bash', `cat "\${W[outside]}/secret"`, { language: 'bash' }),
  reads('searches the disk for it, in bash', `grep -rhs . "\${W[outside]}" "\${W[home]}"`, {
    language: 'bash',
  }),
  reads('reads its folder without permission, in bash', `cat "\${W[work]}/data"`, {
    language: 'bash',
    allowed: ['shell'],
  }),
];
