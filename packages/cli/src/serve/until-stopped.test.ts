import { expect, it } from 'vitest';
import { untilStopped } from './until-stopped.ts';

it('stops for a signal that comes as soon as it says that it is ready', async () => {
  const done: string[] = [];
  const status = await untilStopped({
    tell: () => {
      done.push('ready');
      // With nobody who listens to it, the real signal would end the process.
      expect(process.emit('SIGTERM')).toBe(true);
    },
    stop: async () => void done.push('stopped'),
  });
  expect({ status, done }).toEqual({ status: 0, done: ['ready', 'stopped'] });
  expect(process.listenerCount('SIGTERM')).toBe(0);
});

it('stops with the error of something fatal', async () => {
  const fatal = Promise.reject(new Error('the disk is full'));
  let isStopped = false;
  const stop = async () => {
    isStopped = true;
  };
  await expect(untilStopped({ tell: () => {}, stop, fatal })).rejects.toThrow('the disk is full');
  expect(isStopped).toBe(true);
});
