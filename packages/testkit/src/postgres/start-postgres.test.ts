import { spawnSync } from 'node:child_process';
import { createConnection } from 'node:net';
import { expect } from 'vitest';
import { itUnless } from '../unless.ts';
import { postgresReason, startPostgres } from './start-postgres.ts';

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() !== undefined)).once('error', () => resolve(false));
  });

itUnless(postgresReason())('starts, stops, crashes and starts again on the same port', async () => {
  const server = await startPostgres();
  try {
    for (const down of [() => server.stop(), () => server.stop('immediate'), () => server.kill()]) {
      const { pid } = server;
      expect(await answers(server.port)).toBe(true);
      await down();
      // A process that a killed server had just forked for a client may hold the port a moment longer.
      await expect.poll(() => answers(server.port)).toBe(false);
      expect(spawnSync('kill', ['-0', String(pid)]).status).not.toBe(0);
      await server.start();
    }
    expect(await answers(server.port)).toBe(true);
  } finally {
    await server.dispose();
  }
  expect(await answers(server.port)).toBe(false);
});
