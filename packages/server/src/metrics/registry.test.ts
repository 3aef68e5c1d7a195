import { newEvent } from '@woof/net';
import { describe, expect, it } from 'vitest';
import { engineMetrics } from './engine-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { Registry } from './registry.ts';

describe('a registry', () => {
  it('writes the Prometheus text format', async () => {
    const registry = new Registry();
    const counter = registry.counter('calls_total', 'Calls.');
    registry.counter('none_total', 'None.');
    counter.add({ name: 'a "b"\n\\', status: 200 });
    counter.add({ name: 'a "b"\n\\', status: 200 }, 2);
    registry.gauge('size', 'Size.', async () => 3);
    registry.gauge('sizes', 'Sizes.', () => [
      [{ of: 'x' }, 1],
      [{ of: 'y' }, 0],
    ]);
    const histogram = registry.histogram('took_seconds', 'Took.', [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value);
    expect(await registry.text()).toBe(
      [
        '# HELP calls_total Calls.',
        '# TYPE calls_total counter',
        'calls_total{name="a \\"b\\"\\n\\\\",status="200"} 3',
        '# HELP none_total None.',
        '# TYPE none_total counter',
        'none_total 0',
        '# HELP size Size.',
        '# TYPE size gauge',
        'size 3',
        '# HELP sizes Sizes.',
        '# TYPE sizes gauge',
        'sizes{of="x"} 1',
        'sizes{of="y"} 0',
        '# HELP took_seconds Took.',
        '# TYPE took_seconds histogram',
        'took_seconds_bucket{le="0.1"} 2',
        'took_seconds_bucket{le="1"} 3',
        'took_seconds_bucket{le="+Inf"} 4',
        'took_seconds_sum 3.65',
        'took_seconds_count 4',
        '',
      ].join('\n'),
    );
  });
});

describe('metrics of the engine', () => {
  it('count events, and measure the time from lease to first task', async () => {
    const registry = new Registry();
    const metrics = engineMetrics(registry);
    const job = { step: 's', step_run_id: 's.1', fence: 1 };
    const events = [
      newEvent('playbook.execution.requested', 0, {}, { plan: 'h', kind: 'playbook', name: 'n' }),
      newEvent('job.leased', 1000, job, { worker: 'w' }),
      newEvent('task.started', 1020, { ...job, task_run_id: 's.1/a.1' }),
      newEvent('task.done', 1030, job, { outcome: { status: 'error' }, directive: { do: 'retry' } }),
      newEvent('task.started', 1900, { ...job, task_run_id: 's.1/a.2' }),
      newEvent('task.done', 1950, job, { outcome: { status: 'ok' }, directive: { do: 'continue' } }),
      newEvent('step.done', 1950, job, { result: null }),
      newEvent('playbook.processed', 2000, {}, { status: 'succeeded' }),
    ];
    metrics.events('e', events);
    metrics.committed({ frames: 2, events: 8, ms: 4 });
    const text = await registry.text();
    for (const line of [
      'woof_executions_started_total 1',
      'woof_executions_ended_total{status="succeeded"} 1',
      'woof_step_runs_ended_total{status="done"} 1',
      'woof_tasks_done_total{status="error"} 1',
      'woof_tasks_done_total{status="ok"} 1',
      'woof_task_retries_total 1',
      'woof_jobs_leased_total 1',
      'woof_job_start_seconds_count 1',
      'woof_job_start_seconds_sum 0.02',
      'woof_commit_events_bucket{le="10"} 1',
      'woof_commit_seconds_sum 0.004',
      'woof_frames_total 2',
    ])
      expect(text.split('\n')).toContain(line);
  });
});

describe('metrics of the process', () => {
  it('report memory and event loop lag', async () => {
    const registry = new Registry();
    const end = processMetrics(registry);
    const text = await registry.text();
    end();
    expect(Number(/process_resident_memory_bytes (\d+)/.exec(text)?.[1])).toBeGreaterThan(10_000_000);
    expect(text).toMatch(/nodejs_eventloop_lag_seconds\{quantile="0.99"\} \d/);
  });
});
