/** Calls that have no response yet. Node counts a connection that never sent a request as busy; this does not. */
import type { Server } from 'node:http';

export class CallsUnderWay {
  private count = 0;
  private onNone: (() => void) | undefined;

  constructor(server: Server) {
    server.on('request', (_request, response) => {
      this.count += 1;
      response.once('close', () => {
        this.count -= 1;
        if (this.count === 0) this.onNone?.();
      });
    });
  }

  /** Resolves when there are none, or when the time is up. */
  async ended(graceMs: number): Promise<void> {
    if (this.count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
