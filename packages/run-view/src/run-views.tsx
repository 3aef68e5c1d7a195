/** The views of one run over one moment, with the chosen step beside them. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { EventsView } from './events-view.tsx';
import { GraphView } from './graph/graph-view.tsx';
import { LogsView } from './logs-view.tsx';
import type { Moment, RunSource } from './run-source.ts';
import type { Selection, View } from './selection.ts';
import { Slider } from './slider.tsx';
import { StepPane, type StepPaneProps } from './step-pane.tsx';
import { TimelineView } from './timeline-view.tsx';

export interface RunViewsProps {
  source: RunSource;
  selection: Selection;
  /** From `useMoment`: the page around the views reads it too. */
  moment: ReadonlySignal<Moment | undefined>;
  /** What the page knows about the chosen step. */
  pane?: Pick<StepPaneProps, 'frame' | 'file' | 'input' | 'hrefOf' | 'children'>;
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
  const isOfStep = useSignal(false);
  const { view, step } = selection;
  const onKeyDown = (event: KeyboardEvent) => {
    const at = VIEWS.findIndex(([name]) => name === view.value);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: VIEWS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    view.value = VIEWS[(to + VIEWS.length) % VIEWS.length]![0];
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-view=${view.value}]`)!.focus();
  };
  const common = { source, selection, moment };
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
              aria-selected={view.value === name}
              aria-controls="rv-view"
              tabIndex={view.value === name ? 0 : -1}
              onClick={() => {
                view.value = name;
              }}
            >
              {label}
            </button>
          ))}
        </div>
        {children}
      </div>
      <div class="rv-columns">
        <div class="rv-view" role="tabpanel" id="rv-view" aria-labelledby={`rv-tab-${view.value}`}>
          {view.value === 'graph' && <GraphView {...common} />}
          {view.value === 'timeline' && <TimelineView {...common} />}
          {view.value === 'events' && <EventsView {...common} />}
          {view.value === 'logs' && <LogsView {...common} isOfStep={isOfStep} />}
        </div>
        {step.value !== undefined && (
          <StepPane {...pane} source={source} moment={moment} step={step.value}>
            {view.value !== 'logs' && (
              <button
                type="button"
                class="rv-load"
                onClick={() => {
                  isOfStep.value = true;
                  view.value = 'logs';
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
