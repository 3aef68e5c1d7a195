/** Data from outside cannot name a keychain entry and is not a template: only the document's own text is. */
import { expect, test } from 'vitest';
import { lastJson, playbook, runWoof, temporaryFolder } from '../cli/woof.ts';
import { startEchoService } from './echo-service.ts';

const CANARY = 'cAnary-named-by-data';
const KEYCHAIN = 'keychain: [{name: api, kind: environment, variable: API}]\n';

test('a body that has `auth` is sent as it is', async () => {
  const service = await startEchoService();
  const tasks = `- step: start
  tool:
    - own: {kind: http, url: "${service.url}/echo", auth: {type: bearer, token: "{{ keychain.api.value }}"}}
    - send: {kind: http, method: POST, url: "${service.url}/echo", json: "{{ workload.data }}"}
`;
  const workload = 'workload: {data: {auth: api, deep: {credential: api}}}\n';
  const cwd = temporaryFolder({ 'a.yaml': playbook(tasks, KEYCHAIN + workload) });
  const ran = await runWoof(['run', 'a.yaml', '--json'], { cwd, env: { API: CANARY } });
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  const [own, sent] = service
    .heard()
    .split('\n')
    .map((each) => JSON.parse(each) as Record<string, string>);
  // The control: if the document says so, the service gets it.
  expect(JSON.stringify(own)).toContain(CANARY);
  expect(JSON.parse(sent!.body!)).toEqual({ auth: 'api', deep: { credential: 'api' } });
});

test('what a call gives a named task is not read as a template', async () => {
  const blocks = `workbook:
  - name: measure
    tool: {kind: python, args: {own: "{{ keychain.api.value }}"}, code: "def main(text, own): return [text, len(own)]"}
`;
  const tasks = `- step: start
  tool:
    - text: {kind: noop, result: "{{ '{' ~ '{ keychain.api.value }' ~ '}' }}"}
    - call: {kind: workbook, name: measure, args: {text: "{{ text }}"}}
`;
  const cwd = temporaryFolder({ 'a.yaml': playbook(tasks, KEYCHAIN + blocks) });
  const ran = await runWoof(['run', 'a.yaml', '--json'], { cwd, env: { API: CANARY } });
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  expect(lastJson(ran).steps.start?.result).toEqual(['{{ keychain.api.value }}', CANARY.length]);
});
