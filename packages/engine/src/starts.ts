/**
 * How an execution begins.
 *
 * Owns: starting one under an id, once. Does not own: what it begins with (new-execution.ts), nested runs (family.ts).
 */
import type { Decisions } from './decisions.ts';
import type { EngineOptions, StartRequest } from './engine-options.ts';
import { newExecutionId } from './ids.ts';
import type { KeptDocuments } from './kept-documents.ts';
import type { LiveExecution } from './live-execution.ts';
import { newExecution } from './new-execution.ts';
import type { Sharing } from './sharing/sharing.ts';

export interface StartParts {
  readonly options: Pick<EngineOptions, 'store'>;
  readonly now: () => number;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly documents: KeptDocuments;
  readonly decisions: Pick<Decisions, 'attempt' | 'enter' | 'isSaved' | 'turn'>;
  readonly sharing: Pick<Sharing, 'names'>;
}

export class Starts {
  constructor(private readonly parts: StartParts) {}

  /** Durable when it resolves. An existing execution with that id is left unchanged. */
  async start(request: StartRequest): Promise<string> {
    const { now, documents } = this.parts;
    const id = request.executionId ?? newExecutionId(now());
    const source = documents.named(request);
    for (let isStarted = false; !isStarted; ) isStarted = await this.tryStart(id, { ...request, source });
    // The caller of a nested run waits for it, and must learn of it before the caller can end.
    if (request.more?.parent === undefined) await documents.stored(source.document);
    return id;
  }

  private async tryStart(id: string, request: StartRequest): Promise<boolean> {
    const { live, decisions, options } = this.parts;
    const execution = live.get(id) ?? (await decisions.attempt(() => this.begin(id, request)));
    if (execution === undefined) return false;
    if (await decisions.isSaved(execution)) return true;
    // The store may have accepted it and failed to say so.
    if (await options.store.execution(id)) return true;
    if (execution.lostBy !== undefined) throw execution.lostBy;
    return false;
  }

  private begin(id: string, request: StartRequest): LiveExecution {
    const { now, sharing, decisions } = this.parts;
    const { execution, command } = newExecution(id, request, now(), sharing.names);
    decisions.enter(execution);
    decisions.turn(execution, command);
    return execution;
  }
}
