import type { Assignment } from '@woof/net';
import { expect, it } from 'vitest';
import { type Claim, Desk, type Handed } from './desk.ts';

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

it('a job that is no longer wanted is told to who has it', async () => {
  const { desk, claimed } = given();
  expect((await claimed()).jobs).toHaveLength(1);
  desk.lostOf('w', new Set([name]), []);
  desk.lostOf('w', new Set([name]), []);
  desk.abort('x', 'a.1');
  expect((await claimed()).stop).toEqual([{ execution_id: 'x', job_id: 'a.1' }]);
});

it('what its worker ended at another server is forgotten, and so is all that a gone worker had', async () => {
  for (const over of [
    (desk: Desk) => void [1, 2].map(() => desk.lostOf('w', new Set(), [])),
    (desk: Desk) => desk.gone('w'),
  ]) {
    const { desk, claimed } = given();
    await claimed();
    over(desk);
    desk.abort('x', 'a.1');
    expect((await claimed()).stop).toEqual([]);
  }
});

it('what the log still leases to it is lost, and is not handed out once it is', async () => {
  const { desk, claimed } = given();
  desk.lostOf('w', new Set(), [job]);
  expect(desk.lostOf('w', new Set(), [job])).toEqual([job]);
  desk.abort('x', 'a.1');
  expect(await claimed()).toEqual({ jobs: [], stop: [], ended: [] });
});
