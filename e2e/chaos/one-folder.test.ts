/**
 * Several processes in one data directory. All but one are killed with kill -9, each at a different effect. Then two
 * processes at once resume each run, and every second time the one that got it is killed too. Afterwards every run has
 * ended correctly.
 *
 * CI runs the short form; `npm run chaos` runs all of it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Envelope } from '@woof/net';
import { expect, test } from 'vitest';
import { type EffectServer, startEffectServer } from '../cli/effect-server.ts';
import { lastJson, type Running, runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { checkEffects, checkLog } from './check-log.ts';

const RUNS = Number(process.env.WOOF_CHAOS_EXECUTIONS ?? 5);
const AT_ONCE = 5;
const ITEMS = 4;

/** No run ends before the test lets it, so a process that resumes it finds it alive. */
const document = (id: string, url: string) => `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: ${id}}
workflow:
  - step: start
    loop: {in: "{{ range(${ITEMS}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 2}}
    tool: {kind: http, url: "${url}/count/${id}-{{ n }}"}
    next: {arcs: [{step: hold}]}
  - step: hold
    tool: {kind: http, url: "${url}/hold/${id}"}
    next: {arcs: [{step: last}]}
  - step: last
    tool: {kind: http, url: "${url}/count/${id}-last"}
`;

interface Place {
  cwd: string;
  effects: EffectServer;
}

interface Refusal {
  ok: boolean;
  pid: number;
}

/** Only turns a hang into a message. */
const TIMEOUT_MS = 600_000 + RUNS * 3000;

test(`${RUNS} runs in one folder, whose processes die from kill -9`, { timeout: TIMEOUT_MS }, async () => {
  const place = { cwd: temporaryFolder(), effects: await startEffectServer() };
  for (let from = 0; from < RUNS; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, RUNS - from) }, (_, index) => from + index);
    await Promise.all(numbers.map((number) => oneRun(place, number)));
  }
});

async function oneRun(place: Place, number: number): Promise<void> {
  const id = `x${number}`;
  writeFileSync(join(place.cwd, `${id}.yaml`), document(id, place.effects.url));
  const isQuiet = number % AT_ONCE === 0;
  const running = startWoof(['run', `${id}.yaml`, '--json'], { cwd: place.cwd });
  const point = isQuiet ? ITEMS + 1 : 1 + ((number * 3 + 1) % (ITEMS + 1));
  await until(`${id} has had ${point} effects`, () => effectsOf(place.effects, id) >= point);
  const run = await runOf(place, id);
  const driver = isQuiet ? running : await resumedAfter(place, { run, running, again: number % 2 === 0 });
  place.effects.release(id);
  expect(lastJson(await driver.ended)).toMatchObject({ execution_id: run, status: 'succeeded' });
  await checkRun(place, { id, run, isQuiet });
}

/** The process that drives the run after its first one was killed, and after the next one was, if that is wanted. */
async function resumedAfter(
  place: Place,
  { run, running, again }: { run: string; running: Running; again: boolean },
): Promise<Running> {
  running.child.kill('SIGKILL');
  await running.ended;
  const winner = await resumedByOneOfTwo(place, run);
  return again ? resumedAfter(place, { run, running: winner, again: false }) : winner;
}

/** One of them gets the run, and the other is told who has it. */
async function resumedByOneOfTwo({ cwd }: Place, run: string): Promise<Running> {
  const both = [1, 2].map(() => startWoof(['resume', run, '--json'], { cwd }));
  const refused = await Promise.race(both.map((one) => one.ended.then(() => one)));
  const winner = both.find((one) => one !== refused)!;
  const ended = await refused.ended;
  expect(ended.status, ended.stderr).toBe(1);
  expect(lastJson<Refusal>(ended)).toMatchObject({ ok: false, pid: winner.child.pid });
  expect(winner.child.exitCode).toBeNull();
  return winner;
}

async function runOf({ cwd }: Place, id: string): Promise<string> {
  const runs = lastJson<{ execution_id: string; name: string }[]>(await runWoof(['runs', '--json'], { cwd }));
  return runs.find(({ name }) => name === id)!.execution_id;
}

function effectsOf({ count }: EffectServer, id: string): number {
  const paths = Array.from({ length: ITEMS }, (_, n) => `/count/${id}-${n}`);
  return [...paths, `/hold/${id}`].reduce((sum, path) => sum + count(path), 0);
}

async function checkRun(
  { cwd, effects }: Place,
  { id, run, isQuiet }: { id: string; run: string; isQuiet: boolean },
): Promise<void> {
  const { stdout } = await runWoof(['events', run, '--json'], { cwd });
  const lines = stdout.trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Envelope);
  checkLog(events);
  checkEffects(effects, { id, items: ITEMS }, events);
  expect(effects.count(`/count/${id}-last`)).toBe(1);
  if (isQuiet) expect(events.filter(({ name }) => name === 'job.expired')).toEqual([]);
}
