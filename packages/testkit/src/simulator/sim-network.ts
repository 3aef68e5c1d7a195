/**
 * Calls from workers to servers over a network that delays, loses, duplicates and partitions. Values are sent as JSON
 * text.
 */
import { decodeJson, encodeJson } from '@woof/net';
import type { WorkApi } from '@woof/protocol';
import type { Fault, Shape } from './faults.ts';
import type { Random } from './random.ts';
import type { Life, VirtualTime } from './virtual-time.ts';

const LOST_AFTER_MS = 5000;

/** A server as the network knows it. */
export interface Peer {
  life: Life;
  service: WorkApi;
}

export class SimNetwork {
  /** Names of pairs that cannot reach each other, and until when. */
  private readonly parted = new Map<string, number>();
  troubled = true;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: Random,
    private readonly shape: Shape,
  ) {}

  part(a: string, b: string, ms: number): void {
    this.parted.set(`${a} ${b}`, this.time.now + ms);
  }

  /** The servers as a worker sees them: each call goes to any one of them. */
  apiFor(worker: Life, servers: () => readonly Peer[]): WorkApi {
    const call = (method: keyof WorkApi) => (request: unknown, signal?: AbortSignal) =>
      worker.survive(this.arrive(this.call(worker, this.random.pick(servers()), method, request, signal)));
    return new Proxy({} as WorkApi, { get: (_, method) => call(method as keyof WorkApi) });
  }

  /** Whatever arrived while the caller slept is there when it wakes. */
  private async arrive<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } finally {
      await this.time.sleep(0);
    }
  }

  private async call(
    from: Life,
    to: Peer,
    method: keyof WorkApi,
    request: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    await this.travel();
    if (this.isParted(from, to.life) || this.happens('lose-request', 0.02)) return this.lost(signal);
    const text = encodeJson(request ?? null);
    if (method !== 'claim' && this.happens('duplicate', 0.03)) {
      this.time.after(this.random.delay(0, 3000), () => void this.serve(to, method, text).catch(() => {}));
    }
    const answer = await this.serve(to, method, text, signal);
    await this.travel();
    if (this.isParted(from, to.life) || this.happens('lose-answer', 0.02)) return this.lost(signal);
    return answer;
  }

  /** Runs in the server; if the server dies during the call, the network reports that to the caller. */
  private serve({ life, service }: Peer, method: keyof WorkApi, text: string, signal?: AbortSignal) {
    return new Promise<unknown>((resolve, reject) => {
      const died = () => reject(new Error(`${life.name} is down`));
      if (!life.alive) return died();
      const forget = life.onDeath(() => this.time.after(0, died));
      const end = (settle: () => void) => {
        if (!life.alive) return;
        forget();
        this.time.after(0, settle);
      };
      this.time.enter(life, () => {
        const invoke = service[method].bind(service) as (r: unknown, s?: AbortSignal) => Promise<unknown>;
        invoke(decodeJson(text), signal).then(
          (answer) => end(() => resolve(decodeJson(encodeJson(answer ?? null)))),
          (error: Error) => end(() => reject(error)),
        );
      });
    });
  }

  private async lost(signal: AbortSignal | undefined): Promise<never> {
    await new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(resolve, LOST_AFTER_MS);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', stop, { once: true });
    });
    throw new Error('the network lost it');
  }

  private travel(): Promise<void> {
    const slow = this.happens('delay', 0.03);
    return this.time.sleep(this.random.delay(0.2, slow ? 4000 : 5));
  }

  private isParted(a: Life, b: Life): boolean {
    const until = Math.max(
      this.parted.get(`${a.name} ${b.name}`) ?? 0,
      this.parted.get(`${b.name} ${a.name}`) ?? 0,
    );
    return this.troubled && until > this.time.now;
  }

  private happens(fault: Fault, probability: number): boolean {
    return this.troubled && this.shape.faults.has(fault) && this.random.chance(probability);
  }
}
