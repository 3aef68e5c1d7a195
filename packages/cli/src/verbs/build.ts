import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HomeFlags } from '../home-flags.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { withRun } from '../open-run.ts';
import { readRunData } from '../read-run-data.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

interface Built {
  html: string;
  kind: 'run';
  /** What the workbook does not hold, a line each. */
  left: string[];
}

export const verb = defineVerb({
  args: ['RUN'],
  options: {
    output: { doc: 'the HTML file to write', value: 'OUT', short: 'o' },
    json: { doc: 'print {"file", "kind", "bytes", "left"}' },
    ...HOME_OPTIONS,
  },
  examples: [['woof build last -o report.html', 'a page that replays the newest run']],
  async run([what = ''], flags) {
    const { output: file } = flags;
    if (file === undefined) throw new UserError('where to?', `say: woof build ${what} -o OUT.html`, 2);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      throw new UserError(`${file} is a folder`, 'say the name of a file: -o OUT.html', 2);
    }
    const { html, ...built } = await buildRun(what, flags);
    writeAtomically(file, html);
    const bytes = Buffer.byteLength(html);
    if (flags.json) console.log(JSON.stringify({ file, bytes, ...built }));
    else {
      console.log(`${file}  ${Math.ceil(bytes / 1024)} KB`);
      for (const left of built.left) console.error(`left out: ${left}`);
    }
    return 0;
  },
});

function buildRun(word: string, flags: HomeFlags): Promise<Built> {
  return withRun(word, flags, async (opened) => {
    const { run, left } = await readRunData(opened);
    const { buildRun: build } = await import('@woof/workbook-build');
    return { html: build(run, pagePart), kind: 'run', left };
  });
}

function pagePart(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../workbook/${file}`, import.meta.url)), 'utf8');
}
