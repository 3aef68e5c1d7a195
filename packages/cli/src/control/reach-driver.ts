/**
 * Who may change a run: the process that drives it, through its socket, or the server that does, through its API; else
 * this process, which becomes its driver. If another process becomes the driver first, that one is asked instead.
 */
import { driverOf } from '@woof/engine';
import { isLocalDriver } from '@woof/stores';
import { openForReading } from '../data-directory.ts';
import { isDriving, pidOf } from '../drivers/drivers.ts';
import type { HomeFlags } from '../home-flags.ts';
import { BusyError, UserError } from '../user-error.ts';
import { askDriver } from './control-client.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

export interface Ways<T> {
  /** Rejects with BusyError if another process drives the run. */
  here(): Promise<T>;
  atServer(server: Required<Pick<HomeFlags, 'server'>> & HomeFlags): Promise<T>;
}

export async function reachDriver<T>(
  folder: string,
  request: ControlRequest,
  { here, atServer }: Ways<T>,
): Promise<{ answer: ControlAnswer } | { done: T }> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const driver = await driverNow(folder, request.execution_id);
    if (isDriving(folder, driver)) {
      if (!isLocalDriver(driver)) return { done: await atServer(await serverOfFolder(folder, driver)) };
      const answer = await askDriver(folder, driver, request);
      if (answer) return { answer };
    }
    try {
      return { done: await here() };
    } catch (error) {
      if (!(error instanceof BusyError) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function driverNow(folder: string, executionId: string): Promise<string | null> {
  const { store } = openForReading(folder);
  try {
    return await driverOf(store, executionId);
  } finally {
    await store.close();
  }
}

async function serverOfFolder(folder: string, driver: string): Promise<{ server: string; data: string }> {
  const { folderServer } = await import('../remote/folder-server.ts');
  const note = folderServer(folder);
  if (note) return { server: note.url, data: folder };
  throw new UserError(`a server (pid ${pidOf(driver)}) drives the run`, 'name the server: --server URL');
}
