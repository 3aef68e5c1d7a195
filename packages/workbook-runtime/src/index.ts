/**
 * The runtime inside a workbook: `import { wb } from '@woof/workbook-runtime'`. One instance per page, however often it
 * is loaded.
 */
import type { Wb } from './api.ts';
import { makeWb } from './wb.ts';

export type * from './api.ts';

const KEY = Symbol.for('@woof/workbook-runtime');
const page = globalThis as unknown as { [KEY]?: Wb };

page[KEY] ??= makeWb(window);

export const wb: Wb = page[KEY];
