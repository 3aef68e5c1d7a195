/** A file that built pages include, from `dist/workbook`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** As seen from dist/cli, where this runs. */
export function pagePart(file: string): string {
  const path = fileURLToPath(new URL(`../workbook/${file}`, import.meta.url));
  return readFileSync(path, file.endsWith('.gz') ? 'base64' : 'utf8');
}
