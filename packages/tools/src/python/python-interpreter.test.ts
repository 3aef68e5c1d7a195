import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findInterpreter } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { CodeCase, whyNot } from '../code-case.ts';
import { createPythonTool } from './python-tool.ts';

const reason = await whyNot();

it('asks an interpreter once', async () => {
  expect(findInterpreter()).toBe(findInterpreter());
  const { executable, folders } = await findInterpreter();
  expect(executable).toMatch(/python/);
  expect(folders).not.toContain('/usr');
  expect(folders.length).toBeGreaterThan(0);
});

describeUnless(reason)('another interpreter', () => {
  const place = new CodeCase(createPythonTool());
  const venv = join(place.root, 'venv');
  const python = new CodeCase(createPythonTool({ python: join(venv, 'bin', 'python3') }));
  afterAll(async () => {
    await place.remove();
    await python.remove();
  });

  it('may be that of a virtual environment', async () => {
    const { executable } = await findInterpreter();
    execFileSync(executable, ['-m', 'venv', '--without-pip', venv]);
    const code = 'import sys, ssl, sqlite3, ctypes; result = sys.prefix';
    expect(await python.run({ code })).toEqual({ status: 'ok', result: venv });
  });

  it('says that it is missing', async () => {
    const none = new CodeCase(createPythonTool({ python: '/no/such/python3' }));
    expect((await none.run({ code: 'result = 1' })).error?.message).toMatch(/no\/such\/python3/);
    await none.remove();
  });
});
