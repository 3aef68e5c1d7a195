/**
 * Tracks who listens to which execution. Events come from the engine of this process once they are durable. They are
 * read from the store, once for all listeners, if some are missing in between or if another server drives the execution
 * and signals that there are more (far-listeners.ts). The store is also read every few seconds, in case a message was
 * lost, a read failed, or the driver changed.
 *
 * Keeps a bounded tail of each execution that has listeners. A listener that is further behind reads the store itself.
 */
import type { Frame, SharedStore } from '@woof/stores';
import { type EventText, eventText } from './event-text.ts';
import { FarListeners } from './far-listeners.ts';

const LOOK_EVERY_MS = 3000;
const KEPT_TEXTS = 64;

interface Topic {
  listeners: Set<() => void>;
  recent: EventText[];
  /** The number of events that are known here. */
  seen: number;
  /** The engine of this process publishes its events. */
  isHere: boolean;
  /** The engine published events that must be read from the store. */
  wasTold: boolean;
  /** Undefined unless a read is under way; true if another read must follow. */
  reading: boolean | undefined;
}

export class EventHub {
  private readonly topics = new Map<string, Topic>();
  private readonly far: FarListeners;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: SharedStore,
    serverId: string,
    private readonly onFault: (error: unknown) => void,
  ) {
    const onMore = (executionId: string) => this.look(executionId);
    const onTaken = (executionId: string) => this.taken(executionId);
    this.far = new FarListeners({ store, serverId, onMore, onTaken, onFault });
  }

  /** Resolves when other servers can reach this one. */
  start(): Promise<void> {
    return this.far.start();
  }

  get size(): number {
    let all = 0;
    for (const { listeners } of this.topics.values()) all += listeners.size;
    return all;
  }

  /**
   * Calls `onMore` when there is more. `seen` is the listener's position, at most the length of the log. Returns a
   * function that stops listening.
   */
  listen(
    executionId: string,
    { seen, isHere }: Pick<Topic, 'seen' | 'isHere'>,
    onMore: () => void,
  ): () => void {
    let topic = this.topics.get(executionId);
    if (topic === undefined) {
      topic = { listeners: new Set(), recent: [], seen, isHere, wasTold: false, reading: undefined };
      this.topics.set(executionId, topic);
      if (!isHere) this.far.ask(executionId);
    }
    topic.listeners.add(onMore);
    this.timer ??= setInterval(() => this.lookAtAll(), LOOK_EVERY_MS);
    return () => {
      topic.listeners.delete(onMore);
      if (topic.listeners.size > 0) return;
      this.topics.delete(executionId);
      if (this.topics.size === 0) this.rest();
    };
  }

  /**
   * The next events after the first `seen`: the text, `behind` if they must be read from the store, or undefined if
   * there are none yet.
   */
  after(executionId: string, seen: number): EventText | 'behind' | undefined {
    const topic = this.topics.get(executionId);
    if (topic === undefined || topic.seen <= seen) return undefined;
    return topic.recent.find(({ from }) => from === seen) ?? 'behind';
  }

  /** Called when these events of an execution are durable. */
  publish(executionId: string, frame: Frame): void {
    this.far.publish(executionId);
    const topic = this.topics.get(executionId);
    if (topic === undefined) return;
    topic.isHere = true;
    if (frame.from + frame.events.length <= topic.seen) return;
    if (topic.reading === undefined && topic.seen === frame.from) {
      this.add(executionId, topic, frame);
      return;
    }
    topic.wasTold = true;
    this.read(executionId, topic);
  }

  async close(): Promise<void> {
    this.rest();
    await this.far.stop();
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private lookAtAll(): void {
    for (const [id, topic] of this.topics) {
      if (!topic.isHere) this.far.ask(id);
      this.read(id, topic);
    }
  }

  private look(executionId: string): void {
    const topic = this.topics.get(executionId);
    if (topic !== undefined) this.read(executionId, topic);
  }

  private taken(executionId: string): boolean {
    const topic = this.topics.get(executionId);
    if (topic !== undefined) topic.isHere = false;
    return topic !== undefined;
  }

  private read(executionId: string, topic: Topic): void {
    if (topic.reading !== undefined) {
      topic.reading = true;
      return;
    }
    topic.reading = false;
    this.pull(executionId, topic)
      .catch(this.onFault)
      .finally(() => {
        const again = topic.reading;
        topic.reading = undefined;
        if (again && this.topics.get(executionId) === topic) this.read(executionId, topic);
      });
  }

  private async pull(executionId: string, topic: Topic): Promise<void> {
    const { wasTold } = topic;
    topic.wasTold = false;
    for await (const frame of this.store.read(executionId, topic.seen)) {
      if (frame.from + frame.events.length <= topic.seen) continue;
      // Events that the engine did not publish come from another server.
      const isHere = wasTold || topic.wasTold;
      if (topic.isHere && !isHere) this.far.ask(executionId);
      topic.isHere = isHere;
      this.add(executionId, topic, frame);
    }
  }

  private add(executionId: string, topic: Topic, frame: Frame): void {
    const text = eventText(executionId, frame, topic.seen);
    if (text === undefined) return;
    topic.seen = text.to;
    topic.recent.push(text);
    if (topic.recent.length > KEPT_TEXTS) topic.recent.shift();
    for (const onMore of topic.listeners) onMore();
  }
}
