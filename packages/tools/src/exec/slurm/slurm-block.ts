/**
 * One block on Slurm: submitted once, or found again, then watched until its script or Slurm says that it is over.
 *
 * Owns: the sequence of steps. Does not own: how Slurm is queried (slurm-queue.ts), what runs there (batch-script.ts).
 * Invariants: the script's marks decide, and Slurm's states count only if there are none. A job is identified by the
 * name derived from the try, never by Slurm's id alone, which may go to another job after a crash of the controller.
 */
import type { ErrorKind } from '@woof/net';
import type { Attempt } from '../attempt.ts';
import type { ExecBlock } from '../exec-block.ts';
import type { RunnerEnd, RunnerHost } from '../exec-runner.ts';
import { batchScript } from './batch-script.ts';
import { BlockResults } from './block-results.ts';
import type { JobArea, JobName, Marks } from './job-area.ts';
import { type QueueEntry, SlurmFault } from './slurm-commands.ts';
import type { SlurmOptions } from './slurm-options.ts';
import type { SlurmQueue, Snapshot } from './slurm-queue.ts';
import { stateMeaning } from './slurm-states.ts';
import type { Group, Submission, Submitter } from './submitter.ts';

export interface SlurmParts {
  queue: SlurmQueue;
  submitter: Submitter;
}

type Fault = NonNullable<RunnerEnd['fault']>;

/** The script as kept in the bundle, without secrets. */
export const SHOWN_SCRIPT = 'shown.sh';
const MOST_SUBMISSIONS = 5;
/** How long a shared disk may take to show what a job wrote, and Slurm to report how a job ended. */
const SETTLE_MS = 5000;
/** How long a job may be completing. Only then does Slurm report how it ended. */
const COMPLETING_MS = 120_000;

/** The matrix that the block belongs to. */
export function groupOf({ matrix }: ExecBlock, executionId: string): Group | undefined {
  if (!matrix) return undefined;
  return { key: `${executionId}/${matrix.group}`, title: matrix.group, count: matrix.count };
}

export class SlurmBlock {
  id: string | undefined;
  private name: JobName | undefined;
  private readonly results: BlockResults;
  private said = '';
  private odd: { state: string | undefined; since: number } | undefined;

  constructor(
    private readonly parts: SlurmParts,
    private readonly options: SlurmOptions,
    private readonly block: ExecBlock,
    private readonly attempt: Attempt,
    private readonly area: JobArea,
    private readonly host: RunnerHost,
    private readonly stopped: Promise<undefined>,
  ) {
    this.results = new BlockResults(block, attempt, area, host);
  }

  /** Undefined if the script finished, or if nobody waits any more. Throws Slurm's permanent refusals. */
  async run(fresh: boolean): Promise<Fault | undefined> {
    this.name = await this.area.readName();
    if (fresh) await this.submit();
    for (;;) {
      const snapshot = await this.snapshot();
      if (snapshot === undefined) return undefined;
      const marks = await this.area.marks();
      await this.results.collect(marks);
      const entry = await this.pick(this.entries(snapshot), marks);
      if (marks.done) {
        if (this.results.allWell() || isOver(entry) || this.lasts(entry)) return this.ended(entry);
      } else if (entry === undefined) {
        const fault = await this.unknown(marks);
        if (fault) return fault;
      } else if (marks.job !== undefined && isQueued(entry)) {
        if (this.lasts(entry)) return this.requeued(entry);
      } else if (!isOver(entry)) this.say(entry);
      else if (!mayLag(entry) || this.lasts(entry)) return this.interrupted(entry);
    }
  }

  async cancel(): Promise<void> {
    // If Slurm does not answer, the script stops by itself. If the disk is full, only Slurm can stop it.
    await this.area.write('stop', '').catch(() => undefined);
    if (this.id !== undefined) await this.parts.queue.cancel(this.id);
  }

  /** Records results for commands that did not end. */
  async close(why: string, timedOut: boolean): Promise<void> {
    await this.results.close(why, timedOut);
  }

  /** Leaves the job to the next lease. */
  async release(): Promise<void> {
    if (this.id !== undefined)
      this.host.log('stderr', `slurm: job ${this.id} continues without this worker\n`);
    await this.results.release();
  }

  private snapshot(): Promise<Snapshot | undefined> {
    return Promise.race([this.parts.queue.next(this.options.pollMs), this.stopped]);
  }

  private async submit(): Promise<void> {
    await this.area.write(
      SHOWN_SCRIPT,
      this.script((text) => this.host.redactor.text(text)),
    );
    for (let count = 1; ; count += 1) {
      try {
        const { id, name } = await this.parts.submitter.submit(this.submission());
        return await this.submitted(id, name);
      } catch (error) {
        if (!(error instanceof SlurmFault) || !error.passing || count === MOST_SUBMISSIONS) throw error;
        this.host.log('stderr', `slurm: ${error.message}\n`);
        // The submission may have succeeded although the answer did not arrive.
        this.name = await this.area.readName();
        const snapshot = await this.snapshot();
        if (snapshot === undefined) return;
        const [entry] = this.entries(snapshot);
        if (entry) return await this.submitted(entry.id, this.name!);
      }
    }
  }

  private async submitted(id: string, name: JobName): Promise<void> {
    this.id = id;
    this.name = name;
    await this.area.write('submitted', id);
    this.host.log('stderr', `slurm: job ${id} submitted\n`);
  }

  private submission(): Submission {
    const { host, block, area } = this;
    const group = groupOf(block, host.executionId);
    return {
      area,
      token: `${host.idempotencyKey}/${this.attempt.number}`,
      title: host.stage,
      workdir: host.workdir,
      args: this.options.args,
      script: this.script((text) => text),
      ...(group ? { group } : {}),
    };
  }

  private script(clean: (text: string) => string): string {
    const { block, host, area, attempt } = this;
    const commands = block.commands.map(
      ({ program, args, cwd, timeout_sec, allow_failure, ...rest }, index) => ({
        index,
        program: clean(program),
        args: args.map(clean),
        cwd,
        env: mapValues(host.envOf({ program, args, cwd, allow_failure, ...rest }), clean),
        allowFailure: allow_failure,
        ...(timeout_sec === undefined ? {} : { timeoutSeconds: timeout_sec }),
      }),
    );
    return batchScript({
      title: `Stage ${host.stage} of execution ${host.executionId}, bundle ${attempt.number}`,
      area: area.folder,
      workdir: host.workdir,
      haltOnError: block.halt_on_error,
      commands: commands.filter(({ index }) => attempt.results[index] === undefined),
    });
  }

  private entries(snapshot: Snapshot): readonly QueueEntry[] {
    const { name } = this;
    if (name === undefined) return [];
    const same = snapshot.get(name.name) ?? [];
    return name.index === null ? same : same.filter(({ index }) => index === name.index);
  }

  /** Of two jobs with one name, the one whose script began, otherwise one that is not over. */
  private async pick(entries: readonly QueueEntry[], { job }: Marks): Promise<QueueEntry | undefined> {
    const entry =
      entries.find(({ id }) => id === job) ?? entries.find((each) => !isOver(each)) ?? entries.at(-1);
    if (entry && entry.id !== this.id) {
      this.id = entry.id;
      await this.area.write('submitted', entry.id);
    }
    return entry;
  }

  /** Slurm does not know the job: it was never submitted, or was forgotten. */
  private async unknown({ job }: Marks): Promise<Fault | undefined> {
    const known = (await this.area.read('submitted')) ?? job;
    if (known === undefined) {
      await this.submit();
      return undefined;
    }
    this.id ??= known;
    if (!this.lasts(undefined)) return undefined;
    const fault = this.lost('and its script did not finish');
    await this.results.close(fault.message, false);
    return fault;
  }

  private lost(why: string): Fault {
    const message = `Slurm no longer knows job ${this.id}, ${why}`;
    return { kind: 'server_error', retryable: true, code: 'UNKNOWN', message };
  }

  /** Whether an inconsistency has lasted too long to be a delay. */
  private lasts(entry: QueueEntry | undefined): boolean {
    const now = this.host.now();
    if (this.odd?.state !== entry?.state) this.odd = undefined;
    this.odd ??= { state: entry?.state, since: now };
    return now - this.odd.since >= (entry?.state === 'COMPLETING' ? COMPLETING_MS : SETTLE_MS);
  }

  /** The script finished. A command may have failed because Slurm ended it, with a signal first. */
  private async ended(entry: QueueEntry | undefined): Promise<Fault | undefined> {
    await this.results.close('an earlier command failed', false);
    if (this.results.allWell()) return undefined;
    if (entry && isOver(entry) && !mayLag(entry)) return this.interrupted(entry);
    if (entry && isQueued(entry)) return this.requeued(entry);
    // A failed command makes its job fail. If Slurm says otherwise, it lost the job and ended it.
    if (entry?.state !== 'FAILED' && this.results.anyKilled())
      return this.lost('and one of its commands was killed');
    return undefined;
  }

  /** It ran and was queued again. Its script would do nothing, so nobody waits for it. */
  private async requeued(entry: QueueEntry): Promise<Fault> {
    const fault = await this.interrupted({ ...entry, state: 'REQUEUED' });
    await this.cancel().catch(() => undefined);
    return { ...fault, kind: 'server_error' };
  }

  private async interrupted(entry: QueueEntry): Promise<Fault> {
    const fault = this.faultOf(entry);
    const complaint = (await this.area.read('slurm.stderr.log'))?.trim().split('\n').at(-1)?.slice(0, 500);
    if (complaint) fault.message += `: ${this.host.redactor.text(complaint)}`;
    else if (!(await this.area.has('begun')) && entry.state !== 'CANCELLED')
      fault.message += `; it wrote nothing to ${this.area.folder}, which the cluster nodes must be able to see`;
    await this.results.close(fault.message, fault.kind === 'timeout');
    await this.results.explain(fault.message, fault.kind === 'timeout');
    return fault;
  }

  private faultOf({ state, reason }: QueueEntry): Fault {
    const { kind, retryable, words } = stateMeaning(state);
    const because = reason === 'None' || reason === '' ? '' : `, ${reason}`;
    return {
      kind: kind as ErrorKind,
      retryable,
      code: state,
      message: `Slurm job ${this.id} ${words} (${state}${because})`,
    };
  }

  /** Logs each change once. */
  private say({ state, reason }: QueueEntry): void {
    this.odd = undefined;
    const text = reason === 'None' || reason === '' ? state : `${state} (${reason})`;
    if (text === this.said) return;
    this.said = text;
    this.host.log('stderr', `slurm: job ${this.id} ${text}\n`);
  }
}

function isOver(entry: QueueEntry | undefined): boolean {
  return entry !== undefined && stateMeaning(entry.state).over;
}

/** Its script may have finished although its last mark is not visible yet. */
function mayLag({ state }: QueueEntry): boolean {
  return state === 'COMPLETED' || state === 'FAILED';
}

/** Its script is not running. */
function isQueued({ state }: QueueEntry): boolean {
  return /^(PENDING|REQUEUED|REQUEUE_HOLD|REQUEUE_FED)$/.test(state);
}

function mapValues(env: Record<string, string>, change: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, change(value)]));
}
