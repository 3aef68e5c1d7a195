import { expect, test } from 'vitest';
import { checkWorkbook } from './check-workbook.ts';

const noGunzip = () => {
  throw new Error('there is no bundle');
};

test('an error is reported however many warnings precede it', () => {
  const same = '<p id="a">x</p>\n'.repeat(300);
  const page = `<!doctype html><title>x</title>${same}<script src="https://a.example/x.js"></script>`;
  const found = checkWorkbook(page, noGunzip);
  const errors = found.filter(({ severity }) => severity === 'error');
  expect(errors).toMatchObject([{ code: 'workbook/external-reference', line: 301 }]);
  expect(found).toHaveLength(200);
  expect(found.at(-1)).toEqual(errors[0]);
});

test.each([
  '<!doctype html><title>x</title><p>no html, head and body</body></html>',
  '<!doctype html><html><head><title>x</title></head><body><p>one<p>two<ul><li>a<li>b</ul></body></html>',
  '<!doctype html><title>x</title><table><tr><td>a<td>b<tr><th>c</tbody></table><select><option>a<option>b</select>',
  '<!doctype html><title>x</title><svg><g><path d=""/></g></svg><math><mi>x</mi></math><template><tr><td>a</td></tr></template>',
  '<!doctype html><title>x</title><dl><dt>a<dd>b</dl><script>"</div>"</script><style>a{}</style><textarea><b></textarea>',
])('finds no misplaced tag in %s', (page) => {
  const found = checkWorkbook(page, noGunzip).filter(({ severity }) => severity === 'error');
  expect(found).toEqual([]);
});
