import { expect, it } from 'vitest';
import { CANARY, exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { secretsTool } from './secrets-tool.ts';

exerciseTool('secrets', {
  make: () => secretsTool,
  good: [{ input: { name: 'db', credential: { password: CANARY } } }],
  bad: [
    [{ input: {} }, /"name" is missing/],
    [{ input: { name: 5 } }, /"name" must be text/],
    [{ input: { name: 'db', fields: 'password' } }, /"fields" must be a list/],
  ],
  secret: [
    { input: { name: 'db', credential: { password: CANARY }, fields: ['token'] } },
    { input: { name: 'db', credential: CANARY } },
  ],
});

it('names the fields of an entry but none of its values', async () => {
  const input = { name: 'db', credential: { user: 'me', password: CANARY } };
  expect(await secretsTool.run(toolCall({ input }), toolContext())).toEqual({
    status: 'ok',
    result: { name: 'db', fields: ['password', 'user'] },
  });
});

it('says what is missing', async () => {
  const run = (input: object) => secretsTool.run(toolCall({ input: input as never }), toolContext());
  expect(await run({ name: 'db' })).toMatchObject({
    error: {
      kind: 'not_found',
      retryable: false,
      message: expect.stringMatching(/no entry "db".*under "keychain"/),
    },
  });
  expect(await run({ name: 'db', credential: { user: 'me' }, fields: ['password'] })).toMatchObject({
    error: { kind: 'not_found', message: expect.stringContaining('has no "password"; it has user') },
  });
});
