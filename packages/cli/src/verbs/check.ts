import { renderDiagnostics } from '@woof/documents';
import { checkWorkbook, maskSecrets } from '@woof/documents/workbook';
import { gunzip, readPage } from '@woof/workbook-build';
import { wantsColor } from '../terminal.ts';
import { defineVerb } from '../verb.ts';
import { orRefused, readable } from '../workbook-refusal.ts';

export const verb = defineVerb({
  args: ['HTML'],
  options: { json: { doc: 'print {"diagnostics": […]}' } },
  about:
    'A workbook is valid HTML, loads nothing from elsewhere, declares the permissions that its code uses, and contains a source bundle that opens. Only errors make the command fail, not warnings. Woof does not run the page.',
  examples: [
    ['woof check report.html', 'list problems with line numbers'],
    ['woof check report.html --json', 'the same as JSON'],
  ],
  async run([html = ''], flags) {
    return orRefused(flags, () => {
      const text = readable(html, () => readPage(html));
      const diagnostics = checkWorkbook(text, gunzip);
      const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
      if (flags.json) console.log(JSON.stringify({ diagnostics }));
      else {
        const color = wantsColor(process.stderr);
        if (diagnostics.length > 0)
          process.stderr.write(`${renderDiagnostics(diagnostics, maskSecrets(text), html, { color })}\n`);
        console.log(`${html}: ${count(errors, 'error')}, ${count(diagnostics.length - errors, 'warning')}`);
      }
      return errors > 0 ? 1 : 0;
    });
  },
});

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
