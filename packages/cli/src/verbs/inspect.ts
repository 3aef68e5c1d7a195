import { encodeJson } from '@woof/net';
import { type Inspection, inspectPage } from '@woof/workbook-build';
import { byteCount, harmless, table } from '../terminal.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';
import { orRefused, readable } from '../workbook-refusal.ts';

export const verb = defineVerb({
  args: ['HTML'],
  options: { json: JSON_FLAG },
  about: 'Woof lists the title, kind, permissions, sizes and source files. It does not run the page.',
  examples: [
    ['woof inspect report.html', 'list permissions, kind, files and sizes'],
    ['woof inspect report.html --json', 'the same as JSON'],
  ],
  async run([html = ''], flags) {
    return orRefused(flags, () => {
      const inspection = readable(html, () => inspectPage(html));
      if (flags.json) console.log(encodeJson(inspection));
      else process.stdout.write(describe(inspection));
      return 0;
    });
  },
});

function describe({
  title,
  kind,
  declared,
  permissions,
  runtime,
  sizes,
  bundle,
  faults,
}: Inspection): string {
  const asked = permissions.map(({ name, reason }) => `${name}${reason ? ` (${reason})` : ''}`);
  const rows = [
    ['title', title || '–'],
    ['kind', kind],
    ['permissions', asked.length > 0 ? asked.join(', ') : declared ? 'none' : 'none (not declared)'],
    ['size', `${byteCount(sizes.page)}, including ${byteCount(sizes.bundle)} of sources`],
    ...(runtime ? [['runtime', runtime]] : []),
    [
      'sources',
      bundle ? `${bundle.files.length} files from "${bundle.rootName}", ${bundle.createdAt}` : 'none',
    ],
    ...faults.map((fault) => ['fault', fault]),
  ];
  const files = (bundle?.files ?? []).map(({ path, size, mode, truncated }) => {
    return [
      `  ${mode.toString(8).padStart(3, '0')}`,
      byteCount(size),
      truncated ? `${path} (too large)` : path,
    ];
  });
  const clean = (lines: readonly (readonly string[])[]) =>
    lines.map((cells) => cells.map((cell) => harmless(cell)));
  return table(clean(rows)) + table(clean(files));
}
