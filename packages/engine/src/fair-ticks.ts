/**
 * Long work done in pieces: one piece in each tick of the event loop, so that calls and reports of others come in
 * between. Runs take turns, nested runs on behalf of their outermost one, so that a run with little to do does not wait
 * for one with much.
 */

/** Resolves when there may be room for another piece of the run; undefined: there is. */
export type Room = (root: string) => Promise<void> | undefined;

export class FairTicks {
  /** By run, whose turn it is first. */
  private readonly pieces = new Map<string, Set<() => void>>();

  constructor(private readonly roomFor: Room = () => undefined) {}

  add(root: string, piece: () => void): void {
    const isFirst = this.pieces.size === 0;
    const ofRoot = this.pieces.get(root);
    if (ofRoot) ofRoot.add(piece);
    else this.pieces.set(root, new Set([piece]));
    if (isFirst) this.schedule();
  }

  /** Resolves when it is the run's turn. */
  turn(root: string): Promise<void> {
    return new Promise((resolve) => this.add(root, resolve));
  }

  private schedule(): void {
    setImmediate(() => {
      const again = () => this.schedule();
      const room = this.roomForNext();
      if (room) room.then(again, again);
      else this.doNext();
    });
  }

  private roomForNext(): Promise<void> | undefined {
    for (const root of this.pieces.keys()) return this.roomFor(root);
    return undefined;
  }

  private doNext(): void {
    const piece = this.take();
    if (this.pieces.size > 0) this.schedule();
    piece?.();
  }

  private take(): (() => void) | undefined {
    for (const [root, ofRoot] of this.pieces) {
      this.pieces.delete(root);
      for (const piece of ofRoot) {
        ofRoot.delete(piece);
        if (ofRoot.size > 0) this.pieces.set(root, ofRoot);
        return piece;
      }
    }
    return undefined;
  }
}
