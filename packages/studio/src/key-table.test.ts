import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KEYS } from './key-table.ts';

it('the documentation lists the same keys', () => {
  const page = readFileSync(new URL('../../../docs/studio.md', import.meta.url), 'utf8');
  const [, listed = ''] = /\n## Keys\n\n\| Key \| Action \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  const code = (keys: readonly string[]) => keys.map((key) => `\`${key}\``).join(', ');
  const rows = KEYS.map(
    ({ key, then, about }) => `| ${code([key])}${then ? ` then ${code(then)}` : ''} | ${about} |`,
  );
  expect(listed.trim().split('\n')).toEqual(rows);
});
