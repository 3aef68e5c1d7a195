import { rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fromIpynb, isNotebookText, renderDiagnostics } from '@woof/documents';
import { readText } from '../read-plan.ts';
import { refuseExisting } from '../refuse-existing.ts';
import { refuseOwnSource } from '../refuse-own-source.ts';
import { wantsColor } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    woofnb: { doc: 'notebook to write', value: 'OUT' },
    output: { doc: 'same as --woofnb', value: 'OUT', short: 'o' },
    force: { doc: 'replace OUT and OUT.out if they exist' },
    json: { doc: 'print {"file", "outputs", "diagnostics"}' },
  },
  about: 'Woof writes the notebook to OUT and its outputs to OUT.out.',
  examples: [
    ['woof import analysis.ipynb --woofnb analysis.woofnb', 'convert the notebook and its outputs'],
    ['woof import analysis.ipynb -o analysis.woofnb', 'same, with the short option'],
  ],
  async run([file = ''], flags) {
    const { text } = readText(file);
    if (isNotebookText(text)) throw alreadyOurs(file);
    const out = flags.woofnb ?? flags.output;
    if (out === undefined) throw noOutput(file);
    refuseOwnSource(file, out);
    // Its outputs count too: they may be all that is left of a notebook.
    if (!flags.force) refuseExisting(out, `${out}.out`);
    // Jupyter does not record when a cell ran, but it was not after the file was saved.
    const timestamp = statSync(file).mtime.toISOString();
    const imported = fromIpynb(text, { name: basename(file, '.ipynb'), timestamp });
    const outputs = imported.sidecar === '' ? null : `${out}.out`;
    const { diagnostics } = imported;
    if (flags.json)
      console.log(
        JSON.stringify(imported.text === undefined ? { diagnostics } : { file: out, outputs, diagnostics }),
      );
    else if (diagnostics.length > 0) {
      const color = wantsColor(process.stderr);
      process.stderr.write(`${renderDiagnostics(diagnostics, text, file, { color })}\n`);
    }
    if (imported.text === undefined) return 2;
    writeAtomically(out, imported.text);
    if (imported.sidecar !== '') writeAtomically(`${out}.out`, imported.sidecar);
    // Outputs of an earlier notebook of this name do not belong to this one.
    else rmSync(`${out}.out`, { force: true });
    return 0;
  },
});

function noOutput(file: string): UserError {
  const example = `woof import ${file} --woofnb ${file.replace(/\.ipynb$/, '')}.woofnb`;
  return new UserError('woof import needs the name of the notebook to write', example, 2);
}

function alreadyOurs(file: string): UserError {
  const hint = `run it with \`woof run ${file}\`, or name a Jupyter notebook (.ipynb)`;
  return new UserError(`${file} is already a Woof notebook`, hint, 2);
}
