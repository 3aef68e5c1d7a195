/** One step at the shown moment: its status and why, its result, its attempts. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CodeFrame } from './code-frame.tsx';
import type { Frame } from './frame.ts';
import { Iterations } from './iterations.tsx';
import { plainLines, plainText } from './plain-text.ts';
import type { Head, Moment, RunSource, StepError, StepMoment } from './run-source.ts';
import { ScrollBox } from './scroll-box.tsx';
import { StatusMark } from './status-mark.tsx';
import { useLatest } from './use-latest.ts';
import { ValueBlock } from './value-block.tsx';
import { lengthOf, localTime, localTimes } from './words.ts';

export interface StepPaneProps {
  source: RunSource;
  moment: Moment | undefined;
  head: Head;
  step: string;
  /** The lines of the document that the error points to. */
  frame?: Frame | undefined;
  /** A traceback with lines of the document instead of those of the step's code, as `woof why` shows it. */
  placed?: ((traceback: string, task: string | undefined) => string) | undefined;
  /** The input of its tasks. */
  input?: ComponentChildren;
  /** The page of another run. */
  hrefOf?(executionId: string): string;
  /** More about the step, such as its actions. */
  children?: ComponentChildren;
}

export function StepPane({
  source,
  moment,
  head,
  step,
  frame,
  placed,
  input,
  hrefOf,
  children,
}: StepPaneProps) {
  const isWhole = head.loaded >= head.length;
  const shown = useLatest(
    source,
    async () => (moment === undefined ? undefined : source.step(moment.seq, step)),
    // Queried again when the earlier events are loaded, because they contain its attempts.
    [step, moment, isWhole],
  );
  const at = useTime(head, moment);
  return (
    <section class="rv-pane" aria-label="Step">
      <h2>{plainText(step)}</h2>
      {children}
      {shown?.step === step && (
        <>
          <Facts step={shown} at={at} hrefOf={hrefOf} />
          {shown.error && <Failure error={shown.error} source={source} frame={frame} placed={placed} />}
          {shown.children.length > 0 && <Nested of={shown.children} hrefOf={hrefOf} />}
          {input}
          {shown.result && <ValueBlock title="Result" value={shown.result} source={source} />}
          {!isWhole && <p class="rv-none">Loading earlier attempts…</p>}
          {shown.attempts.length > 0 && <Attempts of={shown} at={at} />}
          {shown.progress && moment && <Iterations key={step} source={source} step={step} moment={moment} />}
        </>
      )}
    </section>
  );
}

/**
 * The time of the shown moment. In a running run, the last moment lasts until now, or until the server stopped
 * answering.
 */
function useTime({ length, connection }: Head, moment: Moment | undefined): number {
  const [now, setNow] = useState(0);
  const isNow = connection !== 'over' && moment?.seq === length;
  const isLive = isNow && connection === 'live';
  useEffect(() => {
    if (!isLive) return;
    const tick = () => setNow(Date.now());
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [isLive]);
  return Math.max(moment?.at ?? 0, isNow ? now : 0);
}

const MOST_NESTED = 20;

interface FactsProps {
  step: StepMoment;
  at: number;
  hrefOf: StepPaneProps['hrefOf'];
}

function Facts({ step, at, hrefOf }: FactsProps) {
  const { status, started_at: start, ended_at: end, runs, retries, because, progress, reasons } = step;
  const { reused_from: from } = step;
  const isSaid = (why: string) => why === because || why === step.error?.message;
  const whys = reasons.map(({ reason }) => reason).filter((why) => !isSaid(why));
  return (
    <dl>
      <Fact name="Status">
        <StatusMark status={status} />
      </Fact>
      {from && (
        <Fact name="Reused from">
          <RunLink id={from} hrefOf={hrefOf} />
        </Fact>
      )}
      {because !== undefined && <Fact name="Reason">{plainText(localTimes(because))}</Fact>}
      {[...new Set(whys)].map((why) => (
        <Fact key={why} name="Reason">
          {plainText(localTimes(why))}
        </Fact>
      ))}
      {start !== undefined && (
        <>
          <Fact name="Duration">{lengthOf((end ?? at) - start)}</Fact>
          <Fact name="Started">
            <Started at={start} />
          </Fact>
        </>
      )}
      <Fact name="Runs">{runs}</Fact>
      {retries > 0 && <Fact name="Retries">{retries}</Fact>}
      {progress && <Fact name="Iterations">{progressText(progress)}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Started({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {localTime(at)}
    </time>
  );
}

const progressText = ({ done, failed, total }: NonNullable<StepMoment['progress']>): string =>
  `${done} of ${total}${failed > 0 ? `, ${failed} failed` : ''}`;

interface FailureProps extends Pick<StepPaneProps, 'source' | 'frame' | 'placed'> {
  error: StepError;
}

function Failure({ error, source, frame, placed }: FailureProps) {
  const { traceback, task } = error;
  return (
    <>
      <h3>Error{error.kind && ` (${error.kind})`}</h3>
      <ScrollBox kind="rv-value rv-bad" label="Error">
        {plainLines(error.message)}
      </ScrollBox>
      {frame && <CodeFrame frame={frame} />}
      {traceback && (
        <ScrollBox kind="rv-value rv-code" label="Traceback">
          {plainLines(placed?.(traceback, task) ?? traceback)}
        </ScrollBox>
      )}
      <details>
        <summary>Error details</summary>
        <ValueBlock title="Fields" value={error.more} source={source} />
      </details>
    </>
  );
}

const LONGEST_ERROR = 400;

/** The error of the step is above; each attempt shows its own if it is another. */
function Attempts({ of: { attempts, error: last }, at }: { of: StepMoment; at: number }) {
  return (
    <details open={attempts.length <= 5}>
      <summary>Attempts ({attempts.length})</summary>
      <ScrollBox kind="rv-wide" label="Attempts">
        <table>
          <tbody>
            {attempts.map(({ id, label, attempt, worker, start, end, failed, error }) => (
              <Fragment key={id}>
                <tr>
                  <td>
                    <StatusMark
                      status={failed ? 'failed' : end === undefined ? 'running' : 'succeeded'}
                      isShort
                    />
                  </td>
                  <td class="rv-name">
                    {plainText(label)}
                    {placeOf(id) && <small> iteration {plainText(placeOf(id))}</small>}
                  </td>
                  <td class="rv-number">{attempt}</td>
                  <td class="rv-number">{lengthOf((end ?? at) - start)}</td>
                  <td class="rv-where">{plainText(worker ?? '')}</td>
                </tr>
                {error && error !== last?.message && (
                  <tr class="rv-said">
                    <td />
                    <td colSpan={4} class="rv-bad">
                      {plainText(error.slice(0, LONGEST_ERROR))}
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}

/** Which iteration a task belongs to: `3` of `load.1/3/get.1`, and `3/0` in a loop inside a loop. */
const placeOf = (id: string): string => id.split('/').slice(1, -1).join('/');

function RunLink({ id, hrefOf }: { id: string; hrefOf: StepPaneProps['hrefOf'] }) {
  return hrefOf ? <a href={hrefOf(id)}>{id}</a> : <span>{id}</span>;
}

function Nested({ of, hrefOf }: { of: StepMoment['children']; hrefOf: StepPaneProps['hrefOf'] }) {
  return (
    <>
      <h3>Nested runs</h3>
      <ul class="rv-nested">
        {of.slice(0, MOST_NESTED).map(({ execution_id: id, iteration_id: iteration, status }) => (
          <li key={id}>
            <StatusMark status={status} isShort /> <RunLink id={id} hrefOf={hrefOf} />
            {iteration && ` iteration ${plainText(placeOf(`${iteration}/`))}`}
          </li>
        ))}
        {of.length > MOST_NESTED && <li>and {of.length - MOST_NESTED} more</li>}
      </ul>
    </>
  );
}
