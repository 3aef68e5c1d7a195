/** Bars over time: one row per step, one bar per attempt. Long waits are short breaks. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { fitCanvas } from './fit-canvas.ts';
import { onTheme } from './look.ts';
import { Rows } from './rows.tsx';
import type { Span } from './run-source.ts';
import { seek } from './selection.ts';
import { piecesOf } from './span-pieces.ts';
import { StepRow } from './step-row.tsx';
import { timeScale } from './time-scale.ts';
import { type BarRow, barAt, paintTimeline } from './timeline-painter.ts';
import { useLatest } from './use-latest.ts';
import type { ViewProps } from './view-props.ts';
import { lengthOf, loadingText } from './words.ts';

const ROW = 28;
const NONE = 'No step has started yet.';

export function TimelineView(props: ViewProps) {
  const { source, head } = props;
  const spans = useLatest(source, () => source.timeline(), [head]);
  if (!spans?.length) return <p class="rv-none">{spans ? NONE : loadingText(head)}</p>;
  return <Bars {...props} spans={spans} />;
}

function Bars({ source, selection, moment, head, step, spans }: ViewProps & { spans: Span[] }) {
  const { plan } = source;
  const { started_at: start, last_at: end } = head;
  const rows = useMemo(() => rowsOf(spans), [spans]);
  const scale = useMemo(() => timeScale(spans, start, end), [spans, start, end]);
  const index = useMemo(() => new Map(plan.steps.map(({ name }, i) => [name, i])), [plan]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const top = useRef(0);
  const paint = () => {
    const at = moment?.at ?? end;
    paintTimeline(canvas.current!, { rows, scale, end, at, top: top.current, rowHeight: ROW });
  };
  const latest = useRef(paint);
  latest.current = paint;
  useLayoutEffect(() => {
    const ends = [fitCanvas(canvas.current!, () => latest.current()), onTheme(() => latest.current())];
    return () => ends.forEach((done) => void done());
  }, []);
  useLayoutEffect(paint, [rows, scale, moment?.at]);
  const placeOf = ({ offsetX, offsetY }: MouseEvent) => ({
    row: Math.floor((offsetY + top.current) / ROW),
    time: scale.toTime(offsetX / Math.max(1, canvas.current!.clientWidth)),
  });
  const seekTo = async (event: MouseEvent) => {
    const { row, time } = placeOf(event);
    if (rows[row]) selection.step.value = rows[row].step;
    seek(selection, await source.seqAt(time), head);
  };
  const onPointerMove = (event: MouseEvent) => {
    const { row, time } = placeOf(event);
    canvas.current!.title = rows[row] ? barAt(rows[row], time, end) : '';
  };
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((place) => lengthOf(scale.toTime(place) - start));
  const { steps } = moment ?? {};
  return (
    <div class="rv-timeline">
      <div class="rv-ticks" aria-hidden="true">
        {ticks.map((tick, i) => (
          <span key={i}>{tick}</span>
        ))}
      </div>
      <Rows
        label="Timeline"
        kind="rv-bars"
        count={rows.length}
        height={ROW}
        current={rows.findIndex((row) => row.step === step)}
        onCurrent={(row) => {
          selection.step.value = rows[row]!.step;
        }}
        row={(i) => (
          <>
            <StepRow name={rows[i]!.step} mark={steps?.[index.get(rows[i]!.step) ?? -1]} />
            <span class="rv-unseen">{timesOf(rows[i]!, end)}</span>
          </>
        )}
        onScroll={(scrolled) => {
          top.current = scrolled;
          latest.current();
        }}
      >
        <div class="rv-over" aria-hidden="true">
          <canvas ref={canvas} onPointerDown={(event) => void seekTo(event)} onPointerMove={onPointerMove} />
        </div>
      </Rows>
    </div>
  );
}

function rowsOf(spans: readonly Span[]): BarRow[] {
  const rows = new Map<string, BarRow>();
  for (const span of spans) {
    const row = rows.get(span.step);
    if (row) row.spans.push(span);
    else rows.set(span.step, { step: span.step, spans: [span] });
  }
  return [...rows.values()];
}

/** How long it worked, and how long it waited in between. */
function timesOf({ spans }: BarRow, end: number): string {
  const pieces = spans.flatMap((span) => piecesOf(span, end));
  const sum = (isWait: boolean) =>
    pieces.reduce((ms, piece) => (piece.isWait === isWait ? ms + piece.to - piece.from : ms), 0);
  const waited = sum(true);
  return waited > 0 ? `${lengthOf(sum(false))}, waited ${lengthOf(waited)}` : lengthOf(sum(false));
}
