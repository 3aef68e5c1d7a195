import { formatDocument, renderDiagnostics } from '@woof/documents';
import { readText } from '../read-plan.ts';
import { wantsColor } from '../terminal.ts';
import { toolKinds } from '../tool-kinds.ts';
import { defineVerb } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

export const verb = defineVerb({
  args: ['FILE...'],
  options: {
    check: { doc: 'change nothing; fail and name the files that would change' },
    stdout: { doc: 'print the formatted text, change nothing' },
    fix: { doc: 'rename cells whose id stands twice; else they are refused' },
  },
  examples: [
    ['woof fmt orders.yaml', 'format in place'],
    ['woof fmt --check *.yaml', 'for CI'],
  ],
  async run(files, flags) {
    const statuses = files.map((path) => format(path, flags));
    return Math.max(...statuses);
  },
});

function format(path: string, flags: { check?: true; stdout?: true; fix?: true }): number {
  const { text, file } = readText(path);
  const { text: formatted, diagnostics } = formatDocument(text, {
    file,
    kinds: toolKinds(),
    fix: flags.fix ?? false,
  });
  if (formatted === undefined) {
    const color = wantsColor(process.stderr);
    process.stderr.write(`${renderDiagnostics(diagnostics, text, path, { color })}\n`);
    return 2;
  }
  if (flags.stdout) process.stdout.write(formatted);
  if (formatted === text) return 0;
  if (flags.check) {
    console.error(`${path} would change; fix: woof fmt ${path}`);
    return 1;
  }
  if (!flags.stdout) {
    writeAtomically(file, formatted);
    console.error(`formatted ${path}`);
  }
  return 0;
}
