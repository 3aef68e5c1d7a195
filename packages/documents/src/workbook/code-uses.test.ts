import { expect, it } from 'vitest';
import { codeUses } from './code-uses.ts';

const permissionsOf = (code: string) => codeUses(code, true).map(({ permission }) => permission);

it.each([
  ["wb.persist.set('a', 1)", ['storage']],
  ["wb.env.get('A'); wb.clipboard.read()", ['env', 'clipboard']],
  ['wb.state("a", 1); wb.share.save()', []],
  ['my.wb.persist; wbx.env; "wb.clipboard"', []],
])('what the runtime is asked for in %s needs %j', (code, permissions) => {
  expect(permissionsOf(code)).toEqual(permissions);
});
