/** Why a run is not simply running: what failed, what it waits for, whom it asks. */
import { localTimes } from '@woof/run-view';
import type { ComponentChildren } from 'preact';
import { usePolled } from '../load.ts';
import { GateAnswer, WhoMayAnswer } from '../parts/gate-answer.tsx';
import { said } from '../parts/said.ts';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';
import type { RunNow } from './run-now.ts';
import { isQueued, standing, type Why } from './standing.ts';
import { useLasting } from './use-lasting.ts';

const MOST = 5;
/** The maximum length of one reason, in characters. */
const LONGEST = 2000;
const QUEUE_MS = 2000;

interface WhyProps {
  id: string;
  name: string;
  moment: RunNow;
  onStep: (step: string) => void;
}

export function WhyBanner({ id, name, moment, onStep }: WhyProps) {
  const why = standing(moment);
  const isShown = useLasting(why?.status === 'running' ? moment.at : undefined);
  if (why === undefined || !isShown) return null;
  return (
    <section class="why" data-status={why.status} aria-label="Why">
      <h2>{why.title}</h2>
      <Lines why={why} onStep={onStep} />
      {moment.questions.map(({ execution_id, step, reason, needs_override, approvers }) => (
        <div key={`${execution_id}/${step}`} class="question">
          <div>
            {execution_id === id ? (
              <StepButton step={step} onStep={onStep} />
            ) : (
              <a href={runAddress(execution_id, step)}>{said(step)}</a>
            )}{' '}
            <bdi>{said(reason, LONGEST)}</bdi>
            <WhoMayAnswer approvers={approvers} />
          </div>
          <GateAnswer
            id={execution_id}
            step={step}
            name={name}
            needsOverride={needs_override === true}
            approvers={approvers}
          />
        </div>
      ))}
      {moment.reasons.some(isQueued) && <QueueReason id={id} />}
    </section>
  );
}

function Lines({ why, onStep }: { why: Why; onStep: (step: string) => void }) {
  if (why.reasons.length === 0) return null;
  const more = why.reasons.length - MOST;
  return (
    <ul class="plain">
      {why.reasons.slice(0, MOST).map(({ step, id, reason }) => (
        <li key={`${step} ${id} ${reason}`}>
          {step !== '' && <StepButton step={step} onStep={onStep} />}{' '}
          <bdi class="said">{said(localTimes(reason), LONGEST)}</bdi>
        </li>
      ))}
      {more > 0 && <li class="soft">and {more} more</li>}
    </ul>
  );
}

function StepButton({ step, onStep }: { step: string; onStep: (step: string) => void }): ComponentChildren {
  return (
    <button type="button" class="step" onClick={() => onStep(step)}>
      {said(step)}
    </button>
  );
}

/** The log only knows that a job waits; the server knows for which worker. */
function QueueReason({ id }: { id: string }) {
  const queue = usePolled(() => ask('queue.get'), `queue of ${id}`, QUEUE_MS).value.value;
  const waiting = queue?.waiting.filter(({ execution_id }) => execution_id === id) ?? [];
  const isElsewhere = queue?.elsewhere.some(({ execution_id }) => execution_id === id);
  const reasons = [...new Set(waiting.map(({ reason }) => reason))].slice(0, MOST);
  if (reasons.length === 0 && !isElsewhere) return null;
  return (
    <p>
      {said(reasons.join('; '), LONGEST)}
      {isElsewhere && 'No server has a worker that fits.'} <a href="/workers">Workers and queue</a>
    </p>
  );
}
