import type { Assignment } from '@woof/net';
import { plan, step } from '@woof/testkit';
import { expect, it } from 'vitest';
import { type Claim, Desk, type Handed, newNeeds } from './desk.ts';

const job = { execution_id: 'x', job_id: 'a.1', fence: 1 };
const name = 'x a.1 1';
const claim: Claim = { worker: 'w', labels: {}, kinds: new Set(), free: 1 };

function given(): { desk: Desk; claimed: (now?: boolean) => Promise<Handed> } {
  const desk = new Desk({ onFree: () => {} });
  desk.execute({ ...job, plan: { kind: 'playbook' } } as Assignment, 'w');
  const claimed = () => {
    const over = new AbortController();
    const answer = desk.claim(claim, over.signal);
    over.abort();
    return answer;
  };
  return { desk, claimed };
}

it('the worker that holds a job is told when the job is no longer needed', async () => {
  const { desk, claimed } = given();
  expect((await claimed()).jobs).toHaveLength(1);
  desk.lostOf('w', new Set([name]), []);
  desk.lostOf('w', new Set([name]), []);
  desk.abort('x', 'a.1');
  expect((await claimed()).stop).toEqual([{ execution_id: 'x', job_id: 'a.1' }]);
});

it('forgets what a worker ended on another server, and everything that a lost worker had', async () => {
  for (const over of [
    (desk: Desk) => void [1, 2, 3].map(() => desk.lostOf('w', new Set(), [])),
    (desk: Desk) => desk.gone('w'),
  ]) {
    const { desk, claimed } = given();
    await claimed();
    over(desk);
    desk.abort('x', 'a.1');
    expect((await claimed()).stop).toEqual([]);
  }
});

it('a job that its worker does not name is lost, and is not handed out once it is', async () => {
  const { desk, claimed } = given();
  // The first beat may be older than the lease.
  for (let beat = 1; beat <= 2; beat++) expect(desk.lostOf('w', new Set(), [job])).toEqual([]);
  expect(desk.lostOf('w', new Set(), [job])).toEqual([job]);
  desk.abort('x', 'a.1');
  expect(await claimed()).toEqual({ jobs: [], stop: [], ended: [] });
});

it('a job that is named again is not lost', () => {
  const { desk } = given();
  for (let beat = 1; beat <= 2; beat++) desk.lostOf('w', new Set(), [job]);
  desk.lostOf('w', new Set([name]), [job]);
  expect(desk.lostOf('w', new Set(), [job])).toEqual([]);
  expect(desk.lostOf('w', new Set(), [job])).toEqual([job]);
});

it('a slot that a job did not need is free for others at once', () => {
  let freed = 0;
  const onFree = () => {
    freed += 1;
  };
  const desk = new Desk({ onFree });
  void desk.claim(claim, new AbortController().signal);
  const first = step('a', { tasks: [] });
  const placement = { execution_id: 'x', step: first, plan: plan([first]), home: undefined };
  expect(desk.place(placement)).toBe('w');
  expect([desk.freeSlots(), freed]).toEqual([0, 1]);
  desk.unplace('w');
  expect([desk.freeSlots(), freed]).toEqual([1, 2]);
});

it('gives a local run to a worker that can run all its steps', () => {
  const desk = new Desk({ onFree: () => {} });
  const ask = (worker: string, labels: Record<string, string>, free: number) =>
    void desk.claim({ worker, labels, kinds: new Set(), free }, new AbortController().signal);
  ask('plain', {}, 5);
  ask('both', { zone: 'eu', disk: 'ssd' }, 1);
  const steps = [step('a', { tasks: [] }), step('b', { tasks: [], labels: { zone: 'eu', disk: 'ssd' } })];
  const placement = { execution_id: 'x', step: steps[0]!, plan: plan(steps, { isLocal: true }) };
  expect(desk.place({ ...placement, home: undefined })).toBe('both');
  expect(desk.place({ ...placement, home: 'both' })).toBeUndefined();
  const free = step('a', { tasks: [] });
  expect(desk.place({ execution_id: 'y', step: free, plan: plan([free]), home: undefined })).toBe('plain');
});

it('knows which workers may take a job soon: those that ask here or hold a job from here', async () => {
  const { desk, claimed } = given();
  const needs = newNeeds({}, []);
  expect(desk.mayTake(needs)).toBe(false);
  await claimed();
  expect(desk.mayTake(needs)).toBe(true);
  expect(desk.mayTake(newNeeds({ zone: 'eu' }, []))).toBe(false);
  desk.done(job);
  expect(desk.mayTake(needs)).toBe(false);
});

it('a worker that drains gets only what must stay with it', () => {
  const desk = new Desk({ onFree: () => {} });
  void desk.claim({ ...claim, free: 5 }, new AbortController().signal);
  void desk.claim({ ...claim, worker: 'v' }, new AbortController().signal);
  const first = step('a', { tasks: [] });
  const placement = (home?: string) => ({ execution_id: 'x', step: first, plan: plan([first]), home });
  expect(desk.place(placement())).toBe('w');
  desk.drain('w');
  expect(desk.place(placement())).toBe('v');
  expect(desk.place(placement())).toBeUndefined();
  expect(desk.place(placement('w'))).toBe('w');
  expect([desk.idle(), desk.mayTake(newNeeds({}, []))]).toEqual([[], true]);
});
