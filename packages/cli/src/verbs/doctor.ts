import { examine, type Finding } from '../examine-machine.ts';
import { kindPage } from '../kind-page.ts';
import { painter, table } from '../terminal.ts';
import { DATA, defineVerb, JSON_FLAG } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    kind: { doc: 'tell what this kind of tool takes and gives instead', value: 'KIND' },
    json: JSON_FLAG,
    data: DATA,
  },
  about: 'Fails only where something essential is missing.',
  examples: [
    ['woof doctor', 'what works here, what is missing, how to get it'],
    ['woof doctor --json', 'the same for a program'],
    ['woof doctor --kind http', 'the page of a kind: fields, results, errors, an example'],
  ],
  async run(_args, flags) {
    if (flags.kind !== undefined) {
      process.stdout.write(kindPage(flags.kind, flags.json ?? false));
      return 0;
    }
    const findings = await examine(flags.data);
    const ok = findings.every(({ status }) => status !== 'missing');
    if (flags.json) console.log(JSON.stringify({ ok, findings }));
    else process.stdout.write(toText(findings));
    return ok ? 0 : 1;
  },
});

function toText(findings: readonly Finding[]): string {
  const paint = painter(process.stdout);
  const signs = { ok: paint('✓', 'green'), lacking: paint('!', 'yellow'), missing: paint('✗', 'red') };
  return table(
    findings.flatMap(({ name, status, found, fix }) => [
      [`${signs[status]} ${name}`, found],
      ...(fix === undefined ? [] : [['', paint(`fix: ${fix}`, 'dim')]]),
    ]),
  );
}
