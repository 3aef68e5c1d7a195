/** The filter of a list of runs, as the address has it and as the server takes it. */
export interface ListQuery {
  status?: string;
  kind?: string;
  name?: string;
  path?: string;
  q?: string;
  roots?: 'true';
  since?: number;
  until?: number;
  ended_since?: number;
  ended_until?: number;
  order?: 'newest' | 'oldest';
  [workload: `workload.${string}`]: string;
}

/** Where the browser keeps saved views. */
export const VIEWS = 'woof-views';

const TEXTS = ['status', 'kind', 'name', 'path', 'q'] as const;
const TIMES = ['since', 'until', 'ended_since', 'ended_until'] as const;
const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `24h` and `7d` mean that long ago, so that a saved view moves with time. */
export function timeOf(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * UNIT_MS[unit]!;
  const time = /^\d{13}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Rounded to the minute, so that the same address gives the same query for a while. */
export function filterOf(query: URLSearchParams, now: number): ListQuery {
  const filter: ListQuery = query.get('nested') === 'true' ? {} : { roots: 'true' };
  for (const name of TEXTS) {
    const value = query.get(name);
    if (value) filter[name] = value;
  }
  const minute = now - (now % UNIT_MS.m!);
  for (const name of TIMES) {
    const time = timeOf(query.get(name) ?? '', minute);
    if (time !== undefined) filter[name] = time;
  }
  for (const [name, value] of query)
    if (name.startsWith('workload.')) filter[name as `workload.${string}`] = value;
  if (query.get('order') === 'oldest') filter.order = 'oldest';
  return filter;
}

/** `key=value` as a person types it. */
export function workloadOf(text: string): [`workload.${string}`, string] | undefined {
  const [, key, value] = /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : [`workload.${key}`, value];
}
