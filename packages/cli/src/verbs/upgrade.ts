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
    check: { doc: 'change nothing; fail if the file is written in the older dialect' },
    json: JSON_FLAG,
  },
  about:
    'The older dialect has eval, step.when and next as a list. Woof prints the playbook in canonical v10 and keeps comments, order and everything that needs no change. If v10 cannot express a part exactly, Woof lists that part and prints or writes nothing.',
  examples: [
    ['woof upgrade orders.yaml', 'print the playbook in v10'],
    ['woof upgrade orders.yaml --write', 'rewrite the file'],
    ['woof upgrade orders.yaml --check', 'check in CI whether the file needs an upgrade'],
    ['woof run orders.yaml --upgrade', 'run the upgraded playbook without changing the file'],
  ],
  async run([path = ''], flags) {
    if (flags.write && flags.check)
      throw new UserError('--write and --check cannot be used together', 'choose one of them', 2);
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
  console.error(`${path} is written in the older dialect; fix: woof upgrade ${path} --write`);
  return 1;
}

function write(path: string, file: string, before: string, after: string): void {
  if (before === after) return;
  writeAtomically(file, after);
  console.error(`upgraded ${path}`);
}
