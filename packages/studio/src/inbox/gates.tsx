/** Steps that are waiting for approval: two buttons and a note. */
import type { AnswerOf } from '@woof/protocol/http';
import type { Loaded } from '../load.ts';
import { GateAnswer, WhoMayAnswer } from '../parts/gate-answer.tsx';
import { said } from '../parts/said.ts';
import { Time } from '../parts/time.tsx';
import { runAddress } from '../run-address.ts';

type Answer = AnswerOf<'executions.gates'>;
type Gate = Answer['gates'][number];

export function Gates({ gates }: { gates: Loaded<Answer> }) {
  const waiting = gates.value.value?.gates ?? [];
  if (waiting.length === 0) return null;
  return (
    <section class="block">
      <h2>Waiting for approval</h2>
      <ul class="gates">
        {waiting.map((gate) => (
          <GateRow key={`${gate.execution_id}/${gate.step}`} gate={gate} onAnswered={gates.again} />
        ))}
      </ul>
      {gates.value.value?.next !== undefined && <a href="/runs?status=needs_human">Show all</a>}
    </section>
  );
}

function GateRow({ gate, onAnswered }: { gate: Gate; onAnswered: () => Promise<void> }) {
  const { execution_id: id, step } = gate;
  return (
    <li>
      <div>
        <a href={runAddress(id, step)}>{said(gate.name)}</a>
        {' · '}
        <strong>{said(step)}</strong> <Time at={gate.since} />
        <WhoMayAnswer approvers={gate.approvers} />
        {gate.message && <p>{said(gate.message, 2000)}</p>}
      </div>
      <GateAnswer
        id={id}
        step={step}
        name={gate.name}
        needsOverride={gate.blocked_by_policy === true}
        approvers={gate.approvers}
        onAnswered={onAnswered}
      />
    </li>
  );
}
