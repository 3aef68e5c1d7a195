/** The scripts of a page, and the packed data that they read from it. */

import { gzipSync } from 'node:zlib';
import { inlineScript } from '@woof/documents/workbook';
import {
  PYTHON_DISPLAY,
  PYTHON_EXECUTE,
  PYTHON_FAILURE,
  PYTHON_SCOPE,
  PYTHON_VALUES,
} from '@woof/kernels/python-source';
import { encodeJson } from '@woof/net';
import { type PageModel, PLACES, PYODIDE_CORE, PYTHON_PARTS } from '@woof/workbook-page';
import type { PagePart } from '../build-run.ts';

export interface PageScripts {
  script: string;
  /** Data that the script needs when it starts. */
  before: string[];
  /** Data that it waits for: megabytes, which must not hold up the rest. */
  after: string[];
  isPacked: boolean;
}

export function scriptsOf(model: PageModel, languages: readonly string[], part: PagePart): PageScripts {
  const packed: [string, string][] = [];
  if (Object.keys(model.charts).length > 0) packed.push(['chart', pack(part('chart.js'))]);
  if (languages.includes('js')) packed.push(['javascript', pack(part('javascript-worker.js'))]);
  if (languages.includes('python')) {
    packed.push(['python', pack(part('python-worker.js'))]);
    for (const name of PYTHON_PARTS) packed.push([`python-${name}`, pythonPart(name, part)]);
  }
  const notices = noticesOf(packed, part);
  const data = inlineScript(encodeJson(model), { type: 'application/json', id: PLACES.model });
  const isLarge = ([name]: [string, string]) => name.startsWith('python-');
  const tagsOf = (list: [string, string][]) =>
    list.map(([name, content]) => inlineScript(content, { type: 'text/plain', id: PLACES.payload(name) }));
  return {
    script: inlineScript(part('notebook.js')),
    before: [data, ...tagsOf(packed.filter((each) => !isLarge(each)))],
    after: [...notices, ...tagsOf(packed.filter(isLarge))],
    isPacked: packed.length > 0,
  };
}

/** The licences of third-party work that the page contains in packed form, as text that can be read in its source. */
function noticesOf(packed: readonly [string, string][], part: PagePart): string[] {
  const holders = ['chart', 'python'].filter((holder) => packed.some(([name]) => name === holder));
  return holders.map((holder) => {
    const text = part(`${holder}-notices.txt`);
    return inlineScript(`\n${text}\n`, { type: 'text/plain', id: `woof-${holder}-notices` });
  });
}

const pack = (content: string) => gzipSync(content, { level: 9 }).toString('base64');

function pythonPart(name: (typeof PYTHON_PARTS)[number], part: PagePart): string {
  if (name === 'lock') return part('python-lock.json').replaceAll('<', String.raw`\u003c`);
  if (name !== 'driver') return part(`python-${name}.gz`);
  const parts = { display: PYTHON_DISPLAY, failure: PYTHON_FAILURE, values: PYTHON_VALUES };
  const source = PYODIDE_CORE + PYTHON_SCOPE + PYTHON_EXECUTE;
  return JSON.stringify({ source, parts }).replaceAll('<', String.raw`\u003c`);
}
