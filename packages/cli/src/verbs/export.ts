import { dirname, resolve } from 'node:path';
import {
  latestEntries,
  parseSidecar,
  renderDiagnostics,
  type SidecarEntry,
  toIpynb,
  toJsonForm,
  toPercentScript,
  unreadableParts,
} from '@woof/documents';
import { encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { isArtifactOf, isBinaryType, readBeside, readPlainFile } from '@woof/worker';
import { readPlan } from '../read-plan.ts';
import { refuseExisting } from '../refuse-existing.ts';
import { refuseOwnSource } from '../refuse-own-source.ts';
import { wantsColor } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    ipynb: { doc: 'write a Jupyter notebook', value: 'OUT' },
    py: { doc: 'write a Python script with # %% cell markers', value: 'OUT' },
    json: { doc: 'print the notebook as JSON, or the files that were written' },
    output: {
      doc: 'file to write; its extension (.ipynb or .py) selects the format',
      value: 'OUT',
      short: 'o',
    },
    force: { doc: 'replace OUT if it exists' },
    'no-outputs': { doc: 'leave out the outputs in the sidecar file' },
  },
  examples: [
    ['woof export analysis.woofnb --ipynb analysis.ipynb', 'convert to Jupyter, with outputs'],
    ['woof export analysis.woofnb --py analysis.py', 'convert to a Python script'],
  ],
  async run([file = ''], flags) {
    const { notebook, source, text } = readPlan(file);
    if (notebook === undefined)
      throw new UserError(
        `${file} is not a notebook`,
        'name a .woofnb file; woof import converts a Jupyter notebook to one',
        2,
      );
    const unreadable = unreadableParts(notebook);
    if (unreadable.length > 0) {
      const color = wantsColor(process.stderr);
      process.stderr.write(`${renderDiagnostics(unreadable, text, file, { color })}\n`);
      return 2;
    }
    if (flags.output !== undefined && (flags.ipynb ?? flags.py) !== undefined)
      throw new UserError(
        '--output cannot be combined with --ipynb or --py',
        'give each output file with one flag',
        2,
      );
    const ipynb = flags.ipynb ?? (flags.output?.endsWith('.ipynb') ? flags.output : undefined);
    const py = flags.py ?? (flags.output?.endsWith('.py') ? flags.output : undefined);
    const outs = [ipynb, py].filter((out) => out !== undefined);
    if (flags.output !== undefined && !/\.(ipynb|py)$/.test(flags.output)) throw unknownFormat(flags.output);
    if (outs.length === 0) {
      if (!flags.json)
        throw new UserError('no output file is given', 'use --ipynb OUT, --py OUT or --json', 2);
      process.stdout.write(`${encodeJson(toJsonForm(notebook), 2)}\n`);
      return 0;
    }
    if (ipynb !== undefined && py !== undefined && resolve(ipynb) === resolve(py))
      throw new UserError(`--ipynb and --py both name ${py}`, 'give each format a file of its own', 2);
    for (const out of outs) refuseOwnSource(file, out);
    if (!flags.force) refuseExisting(...outs);
    if (ipynb !== undefined) {
      const outputs = flags['no-outputs'] ? undefined : outputsOf(source.file);
      writeAtomically(ipynb, `${encodeJson(toIpynb(notebook, outputs), 1)}\n`);
    }
    if (py !== undefined) writeAtomically(py, toPercentScript(notebook));
    if (flags.json) console.log(JSON.stringify({ files: outs }));
    return 0;
  },
});

function unknownFormat(out: string): UserError {
  return new UserError(
    `--output ${out}: unknown extension`,
    'name a file that ends with .ipynb or .py, or use --ipynb OUT or --py OUT',
    2,
  );
}

/** Includes outputs that are in separate files, because Jupyter has no such files. */
function outputsOf(file: string): ReturnType<typeof latestEntries> | undefined {
  const text = readPlainFile(`${file}.out`)?.toString('utf8');
  if (text === undefined) return undefined;
  const latest = latestEntries(parseSidecar(text).entries);
  for (const entry of latest.values())
    entry.outputs = entry.outputs.map((output) => inlined(file, entry, output));
  return latest;
}

function inlined(file: string, { cell }: SidecarEntry, output: JsonObject): JsonObject {
  if (!isObject(output.data)) return output;
  const pieces = Object.entries(output.data).map(([type, piece]): [string, Json] => {
    const path = isObject(piece) && Object.keys(piece).length === 1 ? piece.file : undefined;
    if (typeof path !== 'string' || !isArtifactOf(cell, path)) return [type, piece];
    const bytes = readBeside(dirname(file), path);
    return [type, bytes?.toString(isBinaryType(type) ? 'base64' : 'utf8') ?? piece];
  });
  return { ...output, data: Object.fromEntries(pieces) };
}
