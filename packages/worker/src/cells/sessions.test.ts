import type { Kernel, KernelSpec } from '@woof/kernels';
import { expect, it } from 'vitest';
import { Session } from './sessions.ts';

/** A kernel that never suits another cell, so that its state has to move. */
function fakeKernel(load: () => Promise<void>) {
  const kernel = {
    alive: true,
    adapt: () => false,
    save: async () => 'state',
    load,
    close: async () => {
      kernel.alive = false;
    },
  };
  return kernel;
}

it('a kernel that did not accept the state is closed, and the next one has none of the earlier cells', async () => {
  const loads = [async () => {}, () => Promise.reject(new Error('no room')), async () => {}];
  const kernels: ReturnType<typeof fakeKernel>[] = [];
  const session = new Session(async () => {
    kernels.push(fakeKernel(loads[kernels.length]!));
    return kernels.at(-1) as unknown as Kernel;
  });
  const spec = {} as KernelSpec;
  await session.open(spec);
  session.applied.add('a');
  session.bound.add('d');
  await expect(session.open(spec)).rejects.toThrow('no room');
  expect(kernels.map(({ alive }) => alive)).toEqual([false, false]);
  await session.open(spec);
  expect([session.applied.size, session.bound.size, session.alive]).toEqual([0, 0, true]);
});
