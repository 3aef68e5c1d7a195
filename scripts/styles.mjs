// The style sheets of pages, each made of one file per part. The order matters: later rules win.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'lightningcss';

const filesOf = (folder, names) => names.map((name) => `packages/${folder}/src/${name}.css`);

const RUN_VIEW = filesOf('run-view', [
  'theme',
  'run-view',
  'graph/graph',
  'timeline',
  'events',
  'step-pane',
  'logs',
]);

const READING = filesOf('workbook-page', ['reading']);

export const STYLES = {
  studio: [
    ...RUN_VIEW,
    ...filesOf('studio', [
      'elements',
      'frame',
      'parts/table',
      'parts/parts',
      'palette/palette',
      'login/login',
      'inbox/inbox',
      'runs/runs',
      'run/run',
      'compare/compare',
      'schedules/schedules',
      'access/access',
    ]),
  ],
  report: [...RUN_VIEW, ...filesOf('workbook-page', ['report/report'])],
  notebook: [...READING, ...filesOf('workbook-page', ['notebook/notebook'])],
  docs: [...READING, ...filesOf('docs-site', ['site'])],
};

/** Minified, because every built page contains its style. */
export function styleOf(root, page) {
  const text = STYLES[page].map((file) => readFileSync(join(root, file))).join('\n');
  return transform({ filename: `${page}.css`, code: Buffer.from(text), minify: true }).code.toString();
}
