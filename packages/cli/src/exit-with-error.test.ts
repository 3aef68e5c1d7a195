import { BlobError, StoreError } from '@woof/stores';
import { afterEach, expect, test, vi } from 'vitest';
import { exitWithError } from './exit-with-error.ts';
import { UserError } from './user-error.ts';

function reported(error: unknown): { status: number; said: string } {
  let said = '';
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const status = exitWithError(error);
  write.mockRestore();
  return { status, said };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  [new UserError('what', 'how', 2), { status: 2, said: 'error: what\n  fix: how\n' }],
  [new StoreError('disk_full', 'the disk is full'), { status: 1, said: 'error: the disk is full\n' }],
  [
    new BlobError('damaged', 'the stored value abc does not match its checksum'),
    { status: 1, said: expect.stringMatching(/checksum\n {2}fix: .*woof rerun RUN\n$/) },
  ],
  [
    Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }),
    { status: 1, said: expect.stringContaining('free some space') },
  ],
  [
    Object.assign(new Error("EACCES: permission denied, mkdir '/x/.woof'"), {
      code: 'EACCES',
      syscall: 'mkdir',
      path: '/x/.woof',
    }),
    {
      status: 1,
      said: expect.stringMatching(
        /^error: cannot create \/x\/.woof: permission denied\n {2}fix: check the permissions/,
      ),
    },
  ],
  [new Error('database disk image is malformed'), { status: 1, said: expect.stringContaining('is damaged') }],
])('%s', (error, expected) => expect(reported(error)).toEqual(expected));

test('a bug of Woof: one line and how to report it; the stack only on request', () => {
  const { status, said } = reported(new Error('oops'));
  expect(status).toBe(1);
  expect(said).toBe('error: internal error: oops\n  fix: report it with the output of WOOF_DEBUG=1 woof …\n');
  vi.stubEnv('WOOF_DEBUG', '1');
  expect(reported(new Error('oops')).said).toMatch(/^\s+at /m);
});

test('anything can be thrown', () => {
  for (const thing of [undefined, null, 'text', 1]) expect(reported(thing).status).toBe(1);
});
