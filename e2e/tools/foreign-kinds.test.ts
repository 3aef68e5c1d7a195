/** A kind of somebody else's package, as a person uses it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';

const PACKAGE = `
class Greet {
  constructor() { this.greeted = 0; }
  async run({ input }, context) {
    context.log('stdout', 'greeting\\n');
    if (input.name === 'nobody') return { status: 'error', error: { kind: 'not_found', retryable: false, message: 'nobody there' } };
    this.greeted += 1;
    return { status: 'ok', result: { text: 'Hello, ' + input.name, greeted: this.greeted } };
  }
}
exports.tools = [{
  schema: { kind: 'greet', summary: 'Greets.', fields: { name: { type: 'string', doc: 'whom' } }, needs: [['name']] },
  manual: {
    about: ['Greets.'],
    result: ['\`{text, greeted}\`.'],
    errors: [{ kinds: ['not_found'], when: 'nobody is there' }],
    example: '- hello: {kind: greet, name: you}',
  },
  create: () => new Greet(),
}];
`;

const playbook = (tool: string) => `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: greeting}
workflow:
  - step: start
    tool:
      - hello: ${tool}
`;

function project(tool: string): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'node_modules', 'woof-greet'), { recursive: true });
  writeFileSync(join(cwd, 'node_modules', 'woof-greet', 'index.js'), PACKAGE);
  writeFileSync(join(cwd, 'greet.yaml'), playbook(tool));
  return cwd;
}

const env = { WOOF_TOOLS: 'woof-greet' };

test('runs, and its schema is linted by', async () => {
  const cwd = project('{kind: greet, name: you}');
  const ran = await runWoof(['run', 'greet.yaml', '--json'], { cwd, env });
  expect(JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    status: 'succeeded',
    steps: { start: { result: { text: 'Hello, you', greeted: 1 } } },
  });
  const wrong = await runWoof(['lint', 'greet.yaml'], { cwd: project('{kind: greet, nme: you}'), env });
  expect(wrong.status).toBe(1);
  expect(wrong.stdout + wrong.stderr).toMatch(/"?nme"?.*name/s);
});

test('its errors are outcomes', async () => {
  const ran = await runWoof(['run', 'greet.yaml'], { cwd: project('{kind: greet, name: nobody}'), env });
  expect(ran.status).toBe(1);
  expect(ran.stdout + ran.stderr).toContain('nobody there');
});

test('is unknown unless somebody names the package, and a misspelt kind gets a suggestion', async () => {
  const without = await runWoof(['run', 'greet.yaml'], { cwd: project('{kind: greet, name: you}') });
  expect(without.status).toBe(2);
  expect(without.stderr).toContain('no tool kind "greet"');
  const misspelt = await runWoof(['run', 'greet.yaml'], { cwd: project('{kind: gret, name: you}'), env });
  expect(misspelt.stderr).toMatch(/no tool kind "gret".*did you mean.*greet/s);
});

test('a missing package is named', async () => {
  const cwd = project('{kind: greet, name: you}');
  const ran = await runWoof(['run', 'greet.yaml'], { cwd, env: { WOOF_TOOLS: 'woof-nowhere' } });
  expect(ran.status).toBe(2);
  expect(ran.stderr).toMatch(/cannot load the package "woof-nowhere" of WOOF_TOOLS/);
});

test('has a page, generated from the package', async () => {
  const { stdout } = await runWoof(['doctor', '--kind', 'greet'], { cwd: project('{kind: greet}'), env });
  expect(stdout).toBe(`# \`greet\`

Greets.

## Fields

| Field | Type | Default | Meaning |
|---|---|---|---|
| \`name\` | text | required | whom |

## Result

\`{text, greeted}\`.

## Errors

In addition to the [errors that every kind has](../tools.md#errors):

| Error kind | When | Retryable |
|---|---|---|
| \`not_found\` | nobody is there | no |

## Example

\`\`\`yaml
- hello: {kind: greet, name: you}
\`\`\`
`);
  const unknown = await runWoof(['doctor', '--kind', 'gret'], { cwd: project('{kind: greet}'), env });
  expect(`${unknown.status} ${unknown.stderr}`).toMatch(
    /^2 .*no tool kind "gret"[\s\S]*did you mean "greet"/,
  );
});
