/**
 * What every engine is asked to do, so that all of them do the same. An engine is a process that reads the names of works
 * from stdin, a line each, and answers each with one line of JSON.
 *
 * An engine has `settings`, `open`, `submit(length)` (accepts a chain of noop steps, durable when it returns),
 * `run(length)` (waits for its end), `ended(count)` (until that many have ended since it opened), `begin(length)` (a chain
 * that the machine will not survive) and `reached(count)` (until this process saw that many steps of such a chain).
 */
import { createInterface } from 'node:readline';

const CLIENTS = 50;
const EXECUTIONS = 1000;
const STEPS = 10;
const CHAIN = 1000;
const SAMPLES = 100;
const LONG = 5000;

const WORKS = {
  warm: async (engine) => {
    for (let index = 0; index < 30; index++) await engine.run(2);
    await engine.run(200);
    return many(engine, 100);
  },
  two: async (engine) => {
    const times = [];
    while (times.length < SAMPLES) times.push(await timed(() => engine.run(2)));
    return times.sort((a, b) => a - b)[SAMPLES / 2];
  },
  chain: async (engine) => (CHAIN / (await timed(() => engine.run(CHAIN)))) * 1000,
  many: (engine) => many(engine, EXECUTIONS),
  once: (engine) => timed(() => engine.run(2)),
  half: async (engine) => {
    await engine.begin(LONG);
    await engine.reached(LONG / 2);
  },
  recover: (engine) => engine.reached(1),
};

export async function contest(engine) {
  const [folder, postgres] = process.argv.slice(2);
  await engine.open(folder, postgres);
  answer({ settings: engine.settings });
  for await (const work of createInterface({ input: process.stdin }))
    answer({ value: await WORKS[work](engine) });
  process.exit(0);
}

function answer(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function many(engine, executions) {
  let left = executions;
  const client = async () => {
    while (left-- > 0) await engine.submit(STEPS);
  };
  const ms = await timed(async () => {
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await engine.ended(executions);
  });
  return (executions * STEPS * 1000) / ms;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Counts what happens in this process, for those who wait until it happened so often. */
export class Count {
  #value = 0;
  #waiting = [];

  add() {
    this.#value += 1;
    for (const { at, resolve } of this.#waiting) if (at <= this.#value) resolve();
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#value);
  }

  reaches(at) {
    if (this.#value >= at) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ at, resolve }));
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
