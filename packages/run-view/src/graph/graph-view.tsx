/** The steps of the run as a graph, and as a list that says the same. */
import { typeOfStep } from '@woof/documents/graph';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Rows } from '../rows.tsx';
import { StepRow } from '../step-row.tsx';
import type { ViewProps } from '../view-props.ts';
import { wordOf } from '../words.ts';
import { GraphScreen } from './graph-screen.ts';

export function GraphView({ source, selection, moment, step }: ViewProps) {
  const { plan } = source;
  const index = useMemo(() => new Map(plan.steps.map(({ name }, i) => [name, i])), [plan]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [screen, setScreen] = useState<GraphScreen>();
  const [said, setSaid] = useState('');
  const marks = moment?.steps;
  const latest = useRef(marks);
  latest.current = marks;
  const select = (node: number) => {
    selection.step.value = plan.steps[node]?.name;
  };
  const selected = index.get(step ?? '') ?? -1;
  useLayoutEffect(() => {
    let made: GraphScreen | undefined;
    let isOver = false;
    const focus = (node: number) => {
      const { status = 'pending' } = latest.current?.[node] ?? {};
      setSaid(`${plan.steps[node]!.name}: ${wordOf(status)}`);
    };
    void source.drawing().then((drawing) => {
      if (isOver) return;
      const labels = {
        names: plan.steps.map(({ name }) => name),
        types: plan.steps.map((each) => typeOfStep(each, plan.kind)),
      };
      made = new GraphScreen(canvas.current!, drawing, labels, { select, focus });
      setScreen(made);
    });
    return () => {
      isOver = true;
      made?.close();
    };
  }, [source]);
  useLayoutEffect(() => {
    if (screen === undefined) return;
    const wheel = (event: WheelEvent) => screen.onWheel(event);
    const picture = canvas.current!;
    picture.addEventListener('wheel', wheel, { passive: false });
    return () => picture.removeEventListener('wheel', wheel);
  }, [screen]);
  useLayoutEffect(() => screen?.show(marks ?? []), [screen, marks]);
  useLayoutEffect(() => screen?.select(selected), [screen, selected]);
  const onPointer = (event: PointerEvent) => screen?.onPointer(event);
  const button = (sign: string, label: string, act: () => void) => (
    <button type="button" aria-label={label} title={label} onClick={act}>
      {sign}
    </button>
  );
  return (
    <div class="rv-graph">
      <Rows
        label="Steps"
        kind="rv-steps"
        count={plan.steps.length}
        height={28}
        current={selected}
        onCurrent={select}
        row={(i) => <StepRow name={plan.steps[i]!.name} mark={marks?.[i]} />}
        attributes={(i) => ({ 'data-step': plan.steps[i]!.name })}
      />
      <div
        class="rv-picture"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys move between steps
        tabIndex={0}
        aria-label="Graph. Arrow keys move between steps, Enter selects one."
        onKeyDown={(event) => screen?.onKey(event)}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Graph of ${plan.steps.length} steps; the list has the same steps`}
          onPointerDown={onPointer}
          onPointerMove={onPointer}
          onPointerUp={onPointer}
          onPointerCancel={onPointer}
        />
        <span class="rv-unseen" aria-live="polite">
          {said}
        </span>
      </div>
      <div class="rv-tools" role="toolbar" aria-label="Zoom">
        {button('+', 'Zoom in', () => screen?.zoom(1.25))}
        {button('−', 'Zoom out', () => screen?.zoom(0.8))}
        {button('⤢', 'Show all', () => screen?.fit())}
      </div>
    </div>
  );
}
