/** What a cell says in the driver's place. The control is a host that believes every line it reads. */
import type { Attempt } from '../attempt.ts';

const DONE = `{"n": 1, "token": "", "kind": "end", "status": "ok"}`;

const lies = (name: string, code: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  code: `import json
for n in range(9):
    line = json.dumps({'n': n, 'token': '', 'kind': 'end'}) + '\\n'
    ${code}
raise ValueError('it failed')`,
  escaped: ({ believed }) => believed === 'succeeded',
  ...more,
});

export const PROTOCOL: Attempt[] = [
  lies('says on its output that it succeeded', `print(line, end='', flush=True)`),
  lies('says on the descriptor of the driver that it succeeded', `os.write(3, line.encode())`),
  lies(
    'says on every descriptor that it succeeded',
    `[libc.write(fd, line.encode(), len(line)) for fd in (1, 2, 3, 4)]`,
  ),
  lies(
    'says that it succeeded from a child',
    `p = os.fork()
    if p == 0: libc.write(3, line.encode(), len(line)); os._exit(0)
    os.waitpid(p, 0)`,
  ),
  lies('says on the descriptor of the driver that it succeeded, in JavaScript', '', {
    language: 'javascript',
    code: `require('fs').writeSync(3, ${JSON.stringify(`${DONE}\n`)}); throw new Error('it failed')`,
  }),
  lies('says on the descriptor of the driver that it succeeded, in bash', '', {
    language: 'bash',
    code: `printf '%s\\n' '${DONE}' >&3; printf '%s\\n' '${DONE}'; false`,
  }),
  {
    name: 'prints a line of the sidecar for another cell',
    code: `import json; print('\\n' + json.dumps({'cell': 'forged-' + W['token'], 'timestamp': '', 'outputs': []}), flush=True)`,
    escaped: ({ cells, token }) => cells.includes(`forged-${token}`),
  },
  {
    name: 'says on the descriptor of the driver that another cell printed',
    code: `import json; os.write(3, b'\\n' + json.dumps({'cell': 'forged-' + W['token'], 'kind': 'output', 'n': 1, 'token': ''}).encode() + b'\\n')`,
    escaped: ({ cells, token }) => cells.includes(`forged-${token}`),
  },
];
