/** Start-up, by what it loads: times are measured by hand, they say nothing on a busy machine. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, start, temporaryFolder } from './woof.ts';

const bundle = join(root, 'dist', 'cli');
const node = (args: string[]) => start(process.execPath, args, { cwd: temporaryFolder() }).ended;

describe('start-up', () => {
  test('--version needs nothing but bin/woof and package.json', async () => {
    const cwd = temporaryFolder();
    cpSync(join(root, 'bin'), join(cwd, 'bin'), { recursive: true });
    cpSync(join(root, 'package.json'), join(cwd, 'package.json'));
    const woof = join(cwd, 'bin', 'woof');
    expect(await node([woof, '--version'])).toMatchObject({ status: 0, stderr: '' });
    expect(await node([woof, 'runs'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm run build'),
    });
  });

  test('nothing in the bundle needs import(): scripts with a code cache cannot', () => {
    const files = readdirSync(bundle).filter((name) => name.endsWith('.cjs'));
    const importing = files.filter((name) => /\bimport\(/.test(readFileSync(join(bundle, name), 'utf8')));
    expect(importing).toEqual([]);
  });

  test('the code cache of every file that a run loads is there and fits', async () => {
    const cached = readdirSync(bundle).filter((name) => name.endsWith('.cache'));
    for (const name of ['woof', 'run-', 'drive-', 'read-plan-']) {
      expect(cached.some((file) => file.startsWith(name))).toBe(true);
    }
    const refused = `
      const { readFileSync } = require('node:fs');
      const { Script } = require('node:vm');
      for (const file of process.argv.slice(1)) {
        const source = '(function(exports,require,module,__filename,__dirname){' + readFileSync(file, 'utf8') + '\\n})';
        const script = new Script(source, { filename: file, cachedData: readFileSync(file + '.cache') });
        if (script.cachedDataRejected) console.log(file);
      }`;
    const files = cached.map((name) => join(bundle, name.slice(0, -'.cache'.length)));
    expect(await node(['-e', refused, ...files])).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
