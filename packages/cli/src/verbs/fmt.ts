import { formatDocument, renderDiagnostics } from '@woof/documents';
import type { Diagnostic } from '@woof/net';
import { readText } from '../read-plan.ts';
import { wantsColor } from '../terminal.ts';
import { knownKinds } from '../tool-kinds.ts';
import { defineVerb } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

export const verb = defineVerb({
  args: ['FILE...'],
  options: {
    check: { doc: 'change nothing; list the files that would change and fail if there are any' },
    stdout: { doc: 'print the formatted text and change nothing' },
    json: { doc: 'print a list of {"file", "changed", "diagnostics"}; with --stdout also "text"' },
    fix: { doc: 'rename cells with duplicate ids; without this option they are an error' },
  },
  examples: [
    ['woof fmt orders.yaml', 'format in place'],
    ['woof fmt --check *.yaml', 'check formatting in CI'],
  ],
  async run(files, flags) {
    const done = files.map((path) => {
      const formatted = format(path, flags);
      if (!flags.json) tell(formatted, flags);
      return formatted;
    });
    if (flags.json) console.log(JSON.stringify(done.map((each) => toJson(each, flags))));
    return Math.max(...done.map((each) => statusOf(each, flags)));
  },
});

interface FmtFlags {
  check?: true;
  stdout?: true;
  fix?: true;
}

interface Formatted {
  path: string;
  before: string;
  /** Undefined if the document cannot be formatted. */
  after: string | undefined;
  diagnostics: readonly Diagnostic[];
}

function format(path: string, flags: FmtFlags): Formatted {
  const { text: before, file } = readText(path);
  const options = { file, ...knownKinds(), fix: flags.fix ?? false };
  const { text: after, diagnostics } = formatDocument(before, options);
  if (after !== undefined && after !== before && !flags.check && !flags.stdout) writeAtomically(file, after);
  return { path, before, after, diagnostics };
}

function statusOf({ before, after }: Formatted, flags: FmtFlags): number {
  if (after === undefined) return 2;
  return flags.check && after !== before ? 1 : 0;
}

function toJson({ path, before, after, diagnostics }: Formatted, flags: FmtFlags) {
  const text = flags.stdout && after !== undefined ? { text: after } : {};
  return { file: path, changed: after !== undefined && after !== before, diagnostics, ...text };
}

function tell({ path, before, after, diagnostics }: Formatted, flags: FmtFlags): void {
  if (after === undefined) {
    const color = wantsColor(process.stderr);
    process.stderr.write(`${renderDiagnostics(diagnostics, before, path, { color })}\n`);
    return;
  }
  if (flags.stdout) process.stdout.write(after);
  if (after === before) return;
  if (flags.check) console.error(`${path} would change; fix: woof fmt ${path}`);
  else if (!flags.stdout) console.error(`formatted ${path}`);
}
