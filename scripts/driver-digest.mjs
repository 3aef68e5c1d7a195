// A short digest of the code that runs cells and carries values into and out of their languages.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = /\.(ts|py|R|cjs|sh)$/;
const TEST = /\.test\.ts$|(^|\/)test_/;

export function driverDigest(folder) {
  const names = readdirSync(folder, { recursive: true }).sort();
  const hash = createHash('sha256');
  for (const name of names.filter((each) => PROGRAM.test(each) && !TEST.test(each)))
    hash.update(JSON.stringify([name, readFileSync(join(folder, name), 'utf8')]));
  return hash.digest('hex').slice(0, 12);
}
