import { expect, it } from 'vitest';
import { unmetRequirements } from './python-requirements.ts';

it('names what is missing, and nothing that is installed', async () => {
  const unmet = await unmetRequirements(['no-such-package-woof>=1', '!!!']);
  expect(unmet).toEqual([
    { requirement: 'no-such-package-woof>=1', found: 'it is not installed' },
    { requirement: '!!!', found: 'it is not a valid requirement' },
  ]);
  expect(await unmetRequirements([])).toEqual([]);
});

const under = (condition: string) => `no-such-package-woof; ${condition}`;

it('requires a package only if the condition of its requirement holds', async () => {
  const holding = [
    'python_version >= "3.8"',
    'python_version < "3" or python_version >= "3.8"',
    'sys_platform in "linux darwin"',
    'implementation_name == "cpython" # for now',
  ];
  const others = [
    'python_version < "3.8"',
    "'3.8' > python_version",
    'python_full_version < "3" or (sys_platform == "win32" and os_name == "nt")',
    'sys_platform == "linux" and python_version < "3"',
    'platform_system not in "Linux"',
    'extra == "test"',
  ];
  const unmet = await unmetRequirements([...holding, ...others].map(under));
  expect(unmet).toEqual(holding.map((each) => ({ requirement: under(each), found: 'it is not installed' })));
});

it('says that a condition is not valid', async () => {
  const conditions = [
    'python_version',
    'python < "3"',
    '(os_name == "nt"',
    'os_name = "nt"',
    'python_version < "new"',
  ];
  const found = (await unmetRequirements(conditions.map(under))).map((each) => each.found);
  expect(found).toEqual(conditions.map(() => 'its condition after ";" is not valid'));
});
