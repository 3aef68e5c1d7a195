/** What the safety policy will say about a block, reported before it runs: a block that it stops waits for a person. */
import type { ExecInput } from '@woof/net';
import { judgeBlock } from '@woof/policy';
import { child, type MapNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

export function warnOfPolicy(reading: Reading, config: MapNode, block: ExecInput): void {
  const { decision, violations, warnings } = judgeBlock(block, reading.rules());
  if (decision === 'allow') return;
  const list = child(config, 'commands');
  const items = list?.type === 'list' ? list.items : [];
  const say = (reason: string, problem: typeof problems.policyBlocked) => {
    const [all, index, text] = /^commands\[(\d+)\] ([\s\S]*)$/.exec(reason) ?? [reason];
    const command = items[Number(index)] ?? config;
    const place = command.type === 'map' ? (child(command, 'program') ?? command) : command;
    reading.report(problem(reading.span(place), text ?? all));
  };
  for (const reason of violations) say(reason, problems.policyBlocked);
  for (const reason of warnings) say(reason, problems.policyWarning);
}
