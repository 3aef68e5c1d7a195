/** The built script of the page around workbooks. */
import { readFileSync } from 'node:fs';

/** As seen from dist/cli, where this runs. */
const SHELL = '../workbook/shell.js';

export function shellScript(): string {
  return readFileSync(new URL(SHELL, import.meta.url), 'utf8');
}
