import { renderDiagnostics } from '@woof/documents';
import { type ReadPlan, readPlan } from '../read-plan.ts';
import { wantsColor } from '../terminal.ts';
import { inFile } from '../user-error.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: ['FILE...'],
  options: { json: { doc: 'print {"diagnostics": […]}' }, data: DATA },
  about: 'Only errors make the command fail, not warnings.',
  examples: [
    ['woof lint orders.yaml', 'list problems with line numbers'],
    ['woof lint *.yaml --json', 'the same as JSON'],
  ],
  async run(files, flags) {
    const reads = files.map((file) => ({ file, read: readPlan(file, '.', { data: flags.data }) }));
    if (flags.json)
      console.log(
        JSON.stringify({ diagnostics: reads.flatMap(({ file, read }) => inFile(file, read.diagnostics)) }),
      );
    else for (const { file, read } of reads) report(file, read);
    const failed = reads.some(({ read }) => read.diagnostics.some(({ severity }) => severity === 'error'));
    return failed ? 1 : 0;
  },
});

function report(file: string, { diagnostics, text }: ReadPlan): void {
  const color = wantsColor(process.stderr);
  if (diagnostics.length > 0)
    process.stderr.write(`${renderDiagnostics(diagnostics, text, file, { color })}\n`);
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  console.log(`${file}: ${count(errors, 'error')}, ${count(diagnostics.length - errors, 'warning')}`);
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
