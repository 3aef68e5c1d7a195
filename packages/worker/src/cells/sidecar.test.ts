import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Sidecar } from './sidecar.ts';

it('says which file it cannot write, and why', () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-sidecar-'));
  const sidecar = new Sidecar(join(folder, 'gone', 'n.woofnb'), new Set(['a']));
  const line = { cell: 'a', timestamp: '', outputs: [] };
  expect(() => sidecar.write(line)).toThrow(
    'cannot write n.woofnb.out (ENOENT): Woof writes outputs next to the notebook',
  );
  rmSync(folder, { recursive: true });
});
