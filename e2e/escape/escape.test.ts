/**
 * Attempts to get out of a cell, through the door that people use. Each runs twice with the same code: in the sandbox of
 * `woof run`, where it must fail, and bare, where it must work, so that a test that could never fail is found.
 *
 * In `npm test`, each attempt is made once, as one of the users, and each user makes some attempts of every kind.
 * `npm run escape-test` lets every user make all of them.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { probeSandbox } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Attempt, Seen } from './attempt.ts';
import { ATTEMPTS } from './attempts.ts';
import { runBare } from './run-bare.ts';
import { runCaged } from './run-caged.ts';
import { type Who, World } from './world.ts';

const isRoot = process.getuid?.() === 0;
const { available, reason, fix } = await probeSandbox();
const noSandbox = available ? undefined : `${reason}. ${fix}`;

const isLong = process.env.WOOF_ESCAPE_TEST === 'long';

type User = Who & { without?: string };

const USERS: User[] = isRoot
  ? [
      { title: 'root, in a folder of its own' },
      { title: 'root, in a folder that everybody may use', open: true },
      { title: 'an ordinary user', uid: 64_206 },
    ]
  : [{ title: 'root', without: 'only root can be root' }, { title: 'an ordinary user' }];

const ABLE = USERS.filter(({ without }) => without === undefined);
const attemptsOf = (user: User): Attempt[] =>
  isLong || user.without
    ? ATTEMPTS
    : ATTEMPTS.filter((_, index) => index % ABLE.length === ABLE.indexOf(user));

describe('the attempts', () => {
  it('are many, each with a unique name', () => {
    expect(ATTEMPTS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ATTEMPTS.map(({ name }) => name)).size).toBe(ATTEMPTS.length);
  });

  it('are all made', () => {
    expect(new Set(ABLE.flatMap(attemptsOf))).toEqual(new Set(ATTEMPTS));
  });
});

/** Started together, because most of the time is spent waiting for timeouts. */
let outcomes: Outcome[][] = [];

beforeAll(async () => {
  if (noSandbox) return;
  outcomes = await Promise.all(
    USERS.map((user) => (user.without ? Promise.resolve([]) : tryAll(user, attemptsOf(user)))),
  );
});

for (const [place, user] of USERS.entries()) {
  describeUnless(noSandbox ?? user.without)(`started by ${user.title}, a cell`, () => {
    it.each(attemptsOf(user).map(({ name }, index) => [name, index] as const))('%s', (_name, index) => {
      const { caged, bare, escaped, worked } = outcomes[place]![index]!;
      expect(worked, `the attempt itself must work: ${shown(bare)}`).toBe(true);
      expect(caged.output, 'it must have been tried').toContain(`TRIED ${caged.token}`);
      expect(escaped, shown(caged)).toBe(false);
    });
  });
}

interface Outcome {
  caged: Seen;
  escaped: boolean;
  bare: Seen;
  worked: boolean;
}

async function tryAll(who: Who, attempts: readonly Attempt[]): Promise<Outcome[]> {
  const world = new World(who);
  const [ofCaged, ofBare] = [tokensFor(attempts.length), tokensFor(attempts.length)];
  await world.open([...ofCaged, ...ofBare]);
  const secretFd = openSync(join(world.outside, 'secret'), 'r');
  try {
    const results = await runCaged(world, attempts, ofCaged, secretFd);
    await world.settle();
    const outcomes: Outcome[] = [];
    for (const [index, attempt] of attempts.entries()) {
      const caged: Seen = { ...world.seen(ofCaged[index]!), ...results[index]! };
      const escaped = attempt.escaped(caged);
      const { end, ...result } = await runBare(world, attempt, ofBare[index]!, secretFd);
      await world.settle();
      const bare: Seen = { ...world.seen(ofBare[index]!), ...result };
      outcomes.push({ caged, escaped, bare, worked: attempt.escaped(bare) });
      end();
    }
    return outcomes;
  } finally {
    closeSync(secretFd);
    await world.close();
  }
}

function tokensFor(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(8).toString('hex'));
}

function shown({ output, believed }: Seen): string {
  return `${believed}: ${output.slice(0, 2000)}`;
}
