import { renderDiagnostics, type Upgrade } from '@woof/documents';
import { readText } from '../read-plan.ts';
import { wantsColor } from '../terminal.ts';
import { upgradeText } from '../upgrade-text.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    write: { doc: 'rewrite the file' },
    check: { doc: 'change nothing; fail where the file is of the older dialect' },
    json: JSON_FLAG,
  },
  about:
    'Rewrites a playbook of the older dialect (eval, step.when, next as a list) into canonical v10 and prints it. Comments, order and everything that needs no change stay as they are. What v10 cannot say exactly is listed, and nothing is printed or written.',
  examples: [
    ['woof upgrade orders.yaml', 'print it in v10'],
    ['woof upgrade orders.yaml --write', 'rewrite the file'],
    ['woof upgrade orders.yaml --check', 'for CI: only say whether it must be upgraded'],
    ['woof run orders.yaml --upgrade', 'run it as it would be'],
  ],
  async run([path = ''], flags) {
    if (flags.write && flags.check)
      throw new UserError('--write and --check cannot go together', 'choose one of them', 2);
    const { text, file } = readText(path);
    const upgrade = upgradeText(text, file);
    const fails =
      upgrade.text === undefined || upgrade.diagnostics.some(({ severity }) => severity === 'error');
    if (flags.json) tellJson(upgrade, fails);
    else if (upgrade.diagnostics.length > 0) {
      const color = wantsColor(process.stderr);
      process.stderr.write(`${renderDiagnostics(upgrade.diagnostics, text, path, { color })}\n`);
    }
    if (upgrade.text === undefined) return 2;
    if (flags.check) return check(path, upgrade);
    if (fails) {
      if (!flags.json) console.error(`${path} is not upgraded; correct the errors above, then try again`);
      return 1;
    }
    if (flags.write) write(path, file, text, upgrade.text);
    else if (!flags.json) process.stdout.write(upgrade.text);
    return 0;
  },
});

function tellJson({ text, isOlder, diagnostics }: Upgrade, fails: boolean): void {
  const made = fails || text === undefined ? {} : { text };
  console.log(JSON.stringify({ needs_upgrade: isOlder, ...made, diagnostics }));
}

function check(path: string, { isOlder }: Upgrade): number {
  if (!isOlder) return 0;
  console.error(`${path} is of the older dialect; fix: woof upgrade ${path} --write`);
  return 1;
}

function write(path: string, file: string, before: string, after: string): void {
  if (before === after) return;
  writeAtomically(file, after);
  console.error(`upgraded ${path}`);
}
