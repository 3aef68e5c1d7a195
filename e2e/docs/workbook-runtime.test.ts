/** The page about the runtime of workbooks has every call, option and code of `api.ts`, and no others. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/workbook-runtime.md', root), 'utf8');
const api = readFileSync(new URL('packages/workbook-runtime/src/api.ts', root), 'utf8');

/** The text in backticks at the start of each row of the tables with this title. */
function firsts(title: string): string[] {
  const tables = page.split(`\n| ${title} |`).slice(1);
  const rows = tables.flatMap((table) => table.split('\n\n')[0]!.split('\n').slice(2));
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)![1]!).sort();
}

/** Names of methods and fields of an interface. */
function membersOf(name: string): string[] {
  const body = new RegExp(`interface ${name}(?:<T>)?(?: extends [^{]+)? \\{\\n(.*?)\\n\\}`, 's').exec(
    api,
  )![1]!;
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[(<:]/gm)].map(([, member]) => member!);
}

test('has every call', () => {
  const parts = { state: 'States', persist: 'Persist', env: 'Env', share: 'Share', clipboard: 'Clipboard' };
  const calls = Object.entries(parts).flatMap(([part, type]) =>
    membersOf(type).map((name) => `wb.${part}.${name}`),
  );
  const documented = firsts('call').map((call) => call.split('(')[0]!);
  expect(documented).toEqual([...calls, 'wb.state'].sort());
});

test('has every part of wb, every option and every method of a state', () => {
  for (const part of membersOf('Wb')) expect(page).toContain(`wb.${part}`);
  expect(firsts('option')).toEqual([...membersOf('Comparing'), ...membersOf('StateOptions')].sort());
  for (const member of [...membersOf('Readable'), ...membersOf('State')]) expect(page).toMatch(`\`${member}`);
});

test('has every setting and ability, and every code of an error', () => {
  const union = (name: string) => [
    ...new RegExp(`type ${name} =([^;]+);`).exec(api)![1]!.matchAll(/'([^']+)'/g),
  ];
  expect(firsts('setting')).toEqual(
    union('Setting')
      .map(([, name]) => name!)
      .sort(),
  );
  for (const ability of membersOf('Can'))
    expect(page).toMatch(`\`${ability}\``.replace('`setting`', 'wb.can.setting'));
  expect(firsts('code')).toEqual(
    union('WbErrorCode')
      .map(([, code]) => code!)
      .sort(),
  );
});
