/** Work in which nothing fails, given to a server by several clients at once, and the logs that it leaves. */
import { type Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';

/** How many logs are read at once. */
const READERS = 10;

const playbook = (name: string, workflow: string) =>
  `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ${name}, path: ${name}}\nworkflow:\n${workflow}`;

/** Steps in sequence; each returns its number. */
export function chain(length: number): string {
  const step = (index: number) => {
    const next = index + 1 < length ? `, next: {arcs: [{step: s${index + 1}}]}` : '';
    return `  - {step: ${index === 0 ? 'start' : `s${index}`}, tool: {kind: noop, result: ${index}}${next}}\n`;
  };
  return playbook('chain', Array.from({ length }, (_, index) => step(index)).join(''));
}

/** One loop, all of whose iterations may run at once; its result is the list of their numbers. */
export function wideLoop(iterations: number): string {
  const mode = `{mode: parallel, max_in_flight: ${iterations}}`;
  const loop = `{in: "{{ range(${iterations}) | list }}", iterator: n, spec: ${mode}}`;
  const steps =
    `  - {step: start, loop: ${loop}, tool: {kind: noop, result: "{{ n }}"}, next: {arcs: [{step: all}]}}\n` +
    '  - {step: all, tool: {kind: noop, result: "{{ start.results }}"}}\n';
  return playbook('wide-loop', steps);
}

/** Starts this many executions of a document; each client starts its share one after another. Returns their ids. */
export async function submitMany(
  client: Client,
  text: string,
  { count, clients }: { count: number; clients: number },
): Promise<string[]> {
  return atOnce(clients, Array(count).fill(text), async (body) => {
    const { execution_id } = await client.call('executions.start', { body: { text: body } });
    return execution_id;
  });
}

/** The events of each execution, once it has ended. */
export function logsOf(client: Client, ids: readonly string[]): Promise<Envelope[][]> {
  return atOnce(READERS, ids, async (id) => {
    const events: Envelope[] = [];
    for await (const event of followEvents(client, id)) events.push(event);
    return events;
  });
}

/** The distinct ways in which executions ended. */
export function statusesOf(logs: readonly Envelope[][]): unknown[] {
  return [...new Set(logs.map((events) => events.at(-1)?.data.status))];
}

/** Jobs whose lease expired. If nothing fails there are none; otherwise a job or its report was forgotten. */
export function expiredJobs(logs: readonly Envelope[][]): string[] {
  const expired = logs.flat().filter(({ name }) => name === 'job.expired');
  return expired.map(({ execution_id, job_id }) => `${execution_id} ${job_id}`);
}

async function atOnce<T, R>(most: number, items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const one = async () => {
    for (const [index, item] of left) results[index] = await each(item);
  };
  await Promise.all(Array.from({ length: most }, one));
  return results;
}
