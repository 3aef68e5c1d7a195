import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');

it('the example of the README is the one in examples, and it runs as shown', async () => {
  const [, shown] = /```yaml\n([^`]*)```/.exec(read('README.md'))!;
  const example = read('examples/hello.yaml').replaceAll(/^#.*\n/gm, '');
  expect(shown).toBe(example);
  const folder = new Folder();
  const { code, stdout } = await folder.woof('run', folder.write('hello.yaml', shown!), '--set', 'name=Ada');
  folder.dispose();
  expect(code).toBe(0);
  expect(stdout).toContain('HELLO, ADA!');
});
