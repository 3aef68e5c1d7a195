/** The views of one run over one moment, with the chosen step beside them. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { EventsView } from './events-view.tsx';
import { GraphView } from './graph/graph-view.tsx';
import { LogsView } from './logs-view.tsx';
import type { Moment, RunSource } from './run-source.ts';
import { chosenSeq, type Selection, type View } from './selection.ts';
import { Slider } from './slider.tsx';
import { StepPane, type StepPaneProps } from './step-pane.tsx';
import { TimelineView } from './timeline-view.tsx';
import { useValue } from './use-value.ts';

export interface RunViewsProps {
  source: RunSource;
  selection: Selection;
  /** From `useMoment`: the page around the views reads it too. */
  moment: Moment | undefined;
  /** What the page knows about the chosen step. */
  pane?: Pick<StepPaneProps, 'frame' | 'placed' | 'input' | 'hrefOf' | 'children'>;
  /** Beside the tabs. */
  children?: ComponentChildren;
}

const VIEWS: readonly [View, string][] = [
  ['graph', 'Graph'],
  ['timeline', 'Timeline'],
  ['events', 'Events'],
  ['logs', 'Logs'],
];

export function RunViews({ source, selection, moment, pane, children }: RunViewsProps) {
  const [isOfStep, setOfStep] = useState(false);
  const view = useValue(selection.view);
  const step = useValue(selection.step);
  const head = useValue(source.head);
  const seq = chosenSeq(useValue(selection.seq), head);
  const open = (to: View) => {
    selection.view.value = to;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = VIEWS.findIndex(([name]) => name === view);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: VIEWS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const [name] = VIEWS[(to + VIEWS.length) % VIEWS.length]!;
    open(name);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-view=${name}]`)!.focus();
  };
  const common = { source, selection, moment, head, seq, step };
  return (
    <div class="rv">
      <Slider {...common} />
      <div class="rv-bar">
        <div class="rv-tabs" role="tablist" aria-label="Views of the run" onKeyDown={onKeyDown}>
          {VIEWS.map(([name, label]) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`rv-tab-${name}`}
              data-view={name}
              aria-selected={view === name}
              aria-controls="rv-view"
              tabIndex={view === name ? 0 : -1}
              onClick={() => open(name)}
            >
              {label}
            </button>
          ))}
        </div>
        {children}
      </div>
      <div class="rv-columns">
        <div class="rv-view" role="tabpanel" id="rv-view" aria-labelledby={`rv-tab-${view}`}>
          {view === 'graph' && <GraphView {...common} />}
          {view === 'timeline' && <TimelineView {...common} />}
          {view === 'events' && <EventsView {...common} />}
          {view === 'logs' && <LogsView {...common} isOfStep={isOfStep} onOfStep={setOfStep} />}
        </div>
        {step !== undefined && (
          <StepPane {...pane} source={source} moment={moment} head={head} step={step}>
            {view !== 'logs' && (
              <button
                type="button"
                class="rv-load"
                onClick={() => {
                  setOfStep(true);
                  open('logs');
                }}
              >
                Show log
              </button>
            )}
            {pane?.children}
          </StepPane>
        )}
      </div>
    </div>
  );
}
