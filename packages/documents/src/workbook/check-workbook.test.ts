import { expect, test } from 'vitest';
import { checkWorkbook } from './check-workbook.ts';

const noGunzip = () => {
  throw new Error('there is no bundle');
};

test('an error is told however many warnings stand before it', () => {
  const same = '<p id="a">x</p>\n'.repeat(300);
  const page = `<!doctype html><title>x</title>${same}<script src="https://a.example/x.js"></script>`;
  const found = checkWorkbook(page, noGunzip);
  const errors = found.filter(({ severity }) => severity === 'error');
  expect(errors).toMatchObject([{ code: 'workbook/external-reference', line: 301 }]);
  expect(found).toHaveLength(200);
  expect(found.at(-1)).toEqual(errors[0]);
});
