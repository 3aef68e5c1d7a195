/**
 * The change stream: how soon a durable change reaches a listener while many runs are active, and what 50 listeners
 * cost a server in a burst of starts.
 */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Client, Reply } from '@woof/client';
import { type Figure, percentile } from '../figure.ts';
import { chain, type Machines, pause, withMachines } from '../machines.ts';

const RUNS = 50;
const SAMPLES = 200;
const BURST = Number(process.env.WOOF_BENCH_BURST ?? 10_000);
const LISTENERS = 50;
/** How many starts are in flight at once. */
const AT_ONCE = 50;
const DOCUMENTS = { two: chain('two', 2), long: chain('long', 5000) };

interface Row {
  execution_id: string;
  started_at: number;
  ended_at?: number;
}

export async function changeFigures(): Promise<Figure[]> {
  return [...(await withMachines({ workers: 0, documents: DOCUMENTS }, latency)), ...(await bursts())];
}

async function latency({ client }: Machines): Promise<Figure[]> {
  const times: number[] = [];
  const seen = new Set<string>();
  const stop = newStop();
  await listen(client, stop.signal, ({ execution_id: id, started_at, ended_at }) => {
    if (!seen.has(id)) times.push(Date.now() - started_at);
    if (ended_at !== undefined && !seen.has(`${id} ended`)) times.push(Date.now() - ended_at);
    seen.add(id);
    if (ended_at !== undefined) seen.add(`${id} ended`);
  });
  const streaming = Array.from({ length: RUNS }, async () => {
    while (!stop.signal.aborted) {
      const { execution_id: id } = await client.call('executions.start', { body: { path: 'long' } });
      await client.send('executions.events', { params: { id }, signal: stop.signal }, STREAM).then(drain);
    }
  });
  await pause(2000);
  times.length = 0;
  while (times.length < SAMPLES) {
    await client.call('executions.start', { body: { path: 'two' } });
    await pause(20);
  }
  stop.abort();
  await Promise.allSettled(streaming);
  const value = percentile(times, 0.95);
  return [{ name: 'change to listener, p95, 50 runs streaming', value, unit: 'ms', atMost: 150 }];
}

async function bursts(): Promise<Figure[]> {
  const cpu = [];
  for (const listeners of [0, LISTENERS]) {
    cpu.push(
      await withMachines({ workers: 0, documents: DOCUMENTS }, (machines) => burst(machines, listeners)),
    );
  }
  const [alone, heard] = cpu as [number, number];
  const note = `${alone.toFixed(0)} µs of CPU per run alone`;
  return [
    { name: '10,000 starts, 50 listeners beside none', value: heard / alone, unit: '×', atMost: 1.15, note },
  ];
}

/** CPU time of the server per run, µs. */
async function burst({ client, server }: Machines, listeners: number): Promise<number> {
  const stop = newStop();
  for (let index = 0; index < listeners; index++) await listen(client, stop.signal, () => {});
  const before = cpuMs(server.pid!);
  let left = BURST;
  const starter = async () => {
    while (left-- > 0) await client.call('executions.start', { body: { path: 'two' } });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, starter));
  while ((await client.call('executions.counts')).counts.running > 0) await pause(50);
  const used = cpuMs(server.pid!) - before;
  stop.abort();
  return (used * 1000) / BURST;
}

/** Used by all streams. */
function newStop(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

const STREAM = { headers: { accept: 'text/event-stream' } };

/** Resolves once no later change can be missed. */
async function listen(client: Client, signal: AbortSignal, onRow: (row: Row) => void): Promise<void> {
  const response = await client.send('changes.stream', { signal }, STREAM);
  await new Promise<void>((ready) => {
    const hear = (text: string) => {
      if (text.includes('event: ready')) ready();
      const [, data] = /^data: (\{"rows".*)$/m.exec(text) ?? [];
      if (data !== undefined) for (const row of (JSON.parse(data) as { rows: Row[] }).rows) onRow(row);
    };
    drain(response, hear).catch(() => {});
  });
}

async function drain({ body }: Reply, hear: (event: string) => void = () => {}): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop()!;
    for (const event of events) hear(event);
  }
}

/** User and system time of a process. Linux counts hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
