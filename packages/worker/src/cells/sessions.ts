/** The kernels that executions hold in this process, each started when a cell first needs it. */
import type { Kernel, KernelSpec } from '@woof/kernels';

export class Session {
  /** Cells whose effects the kernel has, perhaps only in part: they ran in it, or were restored. */
  applied = new Set<string>();
  /** Data cells that are bound in it. */
  bound = new Set<string>();
  private kernel: Kernel | undefined;
  private ahead: Promise<Kernel> | undefined;

  constructor(private readonly start: (spec: KernelSpec) => Promise<Kernel>) {}

  get alive(): boolean {
    return this.kernel?.alive ?? false;
  }

  /** A kernel with the permissions of the spec and the state of the previous one. */
  async open(spec: KernelSpec): Promise<Kernel> {
    const before = await this.current();
    if (before?.adapt(spec)) return before;
    if (before === undefined) {
      this.kernel = await this.start(spec);
      return this.kernel;
    }
    const state = await before.save();
    if (state === undefined) throw new Error(immovable(spec));
    await before.close();
    const kernel = await this.start(spec);
    try {
      await kernel.load(state);
    } catch (error) {
      // An empty kernel would be mistaken for one that has the earlier cells.
      await kernel.close();
      throw error;
    }
    this.kernel = kernel;
    return kernel;
  }

  private async current(): Promise<Kernel | undefined> {
    if (this.kernel?.alive) return this.kernel;
    this.applied = new Set();
    this.bound = new Set();
    const ahead = await this.takeAhead();
    this.kernel = ahead?.alive ? ahead : undefined;
    return this.kernel;
  }

  /** Starts what `open` with the same spec will return or throw. */
  startAhead(spec: KernelSpec): void {
    this.ahead = this.start(spec);
    this.ahead.catch(() => {});
  }

  async close(): Promise<void> {
    const ahead = await this.takeAhead().catch(() => undefined);
    await ahead?.close();
    await this.kernel?.close();
    this.kernel = undefined;
  }

  private async takeAhead(): Promise<Kernel | undefined> {
    const { ahead } = this;
    this.ahead = undefined;
    return ahead;
  }
}

function immovable({ kernel, language }: KernelSpec): string {
  return (
    `the cell has other permissions than the cells before it in the kernel "${kernel ?? language}", and Woof cannot move the state of that kernel ` +
    'to another process: give these cells the same sidefx, or set sidefx=isolated on this one'
  );
}

export class Sessions {
  private readonly sessions = new Map<string, Map<string, Session>>();

  constructor(private readonly start: (spec: KernelSpec) => Promise<Kernel>) {}

  of(executionId: string, name: string): Session {
    let ofExecution = this.sessions.get(executionId);
    if (ofExecution === undefined) {
      ofExecution = new Map();
      this.sessions.set(executionId, ofExecution);
    }
    let session = ofExecution.get(name);
    if (session === undefined) {
      session = new Session(this.start);
      ofExecution.set(name, session);
    }
    return session;
  }

  async end(executionId: string): Promise<void> {
    const ended = [...(this.sessions.get(executionId)?.values() ?? [])];
    this.sessions.delete(executionId);
    await Promise.all(ended.map((session) => session.close()));
  }

  async close(): Promise<void> {
    for (const executionId of [...this.sessions.keys()]) await this.end(executionId);
  }
}
