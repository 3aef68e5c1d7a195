import { examine, type Finding } from '../examine-machine.ts';
import { kindPage } from '../kind-page.ts';
import { painter, table } from '../terminal.ts';
import { DATA, defineVerb, JSON_FLAG } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    kind: { doc: 'print the reference page of this tool kind instead', value: 'KIND' },
    json: JSON_FLAG,
    data: DATA,
  },
  about:
    'For each missing part, Woof says how to get it. The command fails only if an essential part is missing.',
  examples: [
    ['woof doctor', 'list what works, what is missing and how to get it'],
    ['woof doctor --json', 'the same as JSON'],
    ['woof doctor --kind http', 'print the fields, results and errors of a tool kind, with an example'],
  ],
  async run(_args, flags) {
    if (flags.kind !== undefined) {
      process.stdout.write(await kindPage(flags.kind, flags.json ?? false));
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
