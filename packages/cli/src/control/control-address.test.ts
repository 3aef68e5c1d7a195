import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import { describe, expect, it } from 'vitest';
import { fileOf } from '../drivers/drivers.ts';
import { claimAddress, knownAddress } from './control-address.ts';

const DRIVER = 'local-1-0123abcd';

function deepFolder(): string {
  const folder = join(temporaryFolder('address'), 'a-rather-long-name-of-a-folder/'.repeat(5));
  mkdirSync(join(folder, 'drivers'), { recursive: true });
  return folder;
}

describe('the address of a driver in a folder with a long path', () => {
  it('is what the driver wrote', () => {
    const folder = deepFolder();
    const address = claimAddress(folder, DRIVER);
    expect(Buffer.byteLength(address)).toBeLessThan(100);
    expect(knownAddress(folder, DRIVER)).toBe(address);
  });

  it('is unknown until all of it is written', () => {
    const folder = deepFolder();
    const direct = fileOf(folder, DRIVER, 'sock');
    expect(knownAddress(folder, DRIVER)).toBe(direct);
    for (const part of ['', '/tmp/woof-loc']) {
      writeFileSync(fileOf(folder, DRIVER, 'path'), part);
      expect(knownAddress(folder, DRIVER)).toBe(direct);
    }
  });
});
