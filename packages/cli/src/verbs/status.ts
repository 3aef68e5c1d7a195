import { statSync } from 'node:fs';
import { compareSources, type Drift, openBundle } from '@woof/workbook-build';
import { folderOfBundle } from '../folder-of-bundle.ts';
import { isPageItself } from '../page-itself.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { orRefused, readable } from '../workbook-refusal.ts';

export const verb = defineVerb({
  args: ['HTML', '[DIR]'],
  options: { json: { doc: 'print {"inSync", "modified", "added", "removed"}' } },
  about:
    'DIR is the directory with the sources (default: the directory name stored in the page). Exit codes: 0 same, 1 different, 2 cannot be compared.',
  instead: 'for a run: woof show RUN; for a server: woof server status',
  examples: [
    ['woof status site.html site/', 'list what changed since the page was built'],
    ['woof status site.html site/ --json', 'the same as JSON'],
  ],
  async run([html = '', given], flags) {
    return orRefused(flags, () => {
      const bundle = readable(html, () => openBundle(html));
      const folder = given ?? folderOfBundle(bundle, html, 'status');
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        throw new UserError(
          `there is no directory ${harmless(folder)}`,
          `name the directory: woof status ${html} DIR`,
          2,
        );
      const drift = compareSources(bundle, folder, isPageItself(folder, html));
      if (flags.json) console.log(JSON.stringify(drift));
      else report(html, drift);
      return drift.inSync ? 0 : 1;
    });
  },
});

function report(html: string, { inSync, modified, added, removed }: Drift): void {
  const line = (word: string) => (path: string) => console.log(`${word}  ${harmless(path)}`);
  modified.forEach(line('modified'));
  added.forEach(line('added   '));
  removed.forEach(line('removed '));
  if (inSync) console.log(`${html} contains the same sources`);
}
