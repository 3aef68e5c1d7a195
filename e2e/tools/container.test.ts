/** Tasks of kind container with the real podman, if it works here, and the message if there is none. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, test } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';
import { IMAGE, Podman } from '../notebook/podman-image.ts';

const playbook = (image: string) => `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: contained}
keychain: [{name: token, kind: file, path: token}]
workflow:
  - step: start
    tool:
      - run:
          kind: container
          image: ${image}
          pull: never
          command: [python3, -c]
          args:
            - |
              import os, socket
              open('made', 'w').write(os.environ['TOKEN'][::-1])
              try:
                  socket.create_connection(('1.1.1.1', 53), 2)
              except OSError as error:
                  print('no network')
              try:
                  open('/usr/x', 'w')
              except OSError:
                  print('read-only')
          env: {TOKEN: "{{ keychain.token.value }}"}
          spec: {io_policy: {allow_shell: true, allow_files: true}, timeout: 120}
`;

async function run(image: string, env: Record<string, string>) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), playbook(image));
  writeFileSync(join(cwd, 'token'), 'container-canary');
  const ran = await runWoof(['run', 'p.yaml', '--json'], { cwd, env });
  const { steps } = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}');
  return { cwd, ...steps.start };
}

const podman = Podman.start();
const reason = typeof podman === 'string' ? podman : undefined;
afterAll(() => (typeof podman === 'string' ? undefined : podman.remove()));

describeUnless(reason)('with podman', () => {
  const env = typeof podman === 'string' ? {} : podman.env;

  test('a program runs with files and a secret, without a network, and writes nowhere else', async () => {
    const { cwd, result, error } = await run(IMAGE, env);
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ status: 'succeeded', stdout: 'no network\nread-only\n' });
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('yranac-reniatnoc');
  });

  test('a missing image is reported as such', async () => {
    const { error } = await run('localhost/no-such-image:1', env);
    expect(error).toMatchObject({ kind: 'not_found', retryable: false });
  });
});

test('without docker and podman the task is refused, and says how to get one', async () => {
  const { error } = await run(IMAGE, { PATH: temporaryFolder() });
  expect(error).toMatchObject({
    kind: 'policy',
    retryable: false,
    code: 'no_container_engine',
    message: expect.stringMatching(
      /docker: it is not installed.*podman: it is not installed.*apt install podman/,
    ),
  });
});
