/** From the marks of a script to the results of commands, in order, each with its complete output. */
import { join } from 'node:path';
import type { Attempt } from '../attempt.ts';
import type { ExecBlock } from '../exec-block.ts';
import { type CommandResult, isFailure, logFiles, type RunnerHost, skipped } from '../exec-runner.ts';
import { markerStem } from './batch-script.ts';
import type { CommandMarks, JobArea, Marks } from './job-area.ts';
import { OutputCopy } from './output-copy.ts';

type Ending = Pick<CommandResult, 'exit_code' | 'status' | 'error'>;

export class BlockResults {
  private copies: { index: number; streams: OutputCopy[] } | undefined;

  constructor(
    private readonly block: ExecBlock,
    private readonly attempt: Attempt,
    private readonly area: JobArea,
    private readonly host: RunnerHost,
  ) {}

  /** Records what has ended, and copies what the running command has written so far. */
  async collect({ commands }: Marks): Promise<void> {
    for (;;) {
      const index = this.next();
      if (index === undefined) return;
      const marks = commands[index] ?? {};
      if (marks.began === undefined) return;
      if (marks.ended === undefined) {
        if (this.copies?.index !== index) await this.attempt.begun(this.resultOf(index, marks.began));
        for (const stream of this.streams(index)) await stream.pull();
        return;
      }
      await this.record(index, marks, this.ending(index, marks));
    }
  }

  /** A command that did not end was interrupted, and one that did not begin is skipped. */
  async close(why: string, timedOut: boolean): Promise<void> {
    const all = await this.area.marks();
    await this.collect(all);
    for (let index = this.next(); index !== undefined; index = this.next()) {
      const marks = all.commands[index] ?? {};
      if (marks.began === undefined) {
        await this.attempt.record(skipped(this.block.commands[index]!, index, this.host.now(), why));
      } else {
        await this.record(index, marks, interruption(why, timedOut));
      }
    }
  }

  async release(): Promise<void> {
    for (const stream of this.copies?.streams ?? []) await stream.close();
  }

  allWell(): boolean {
    return this.next() === undefined && !this.attempt.results.some(isFailure);
  }

  anyKilled(): boolean {
    return this.attempt.results.some(isKilled);
  }

  /** The last command may have been killed before its script. By now the reason is known. */
  async explain(why: string, timedOut: boolean): Promise<void> {
    const last = this.attempt.results.findLast(({ status }) => status !== 'skipped');
    if (last === undefined || !isKilled(last)) return;
    await this.attempt.record({ ...last, ...interruption(why, timedOut) });
  }

  /** The first command without a result. */
  private next(): number | undefined {
    const index = this.block.commands.findIndex((_, at) => this.attempt.results[at] === undefined);
    return index < 0 ? undefined : index;
  }

  private async record(index: number, { began, ended }: CommandMarks, ending: Ending): Promise<void> {
    for (const stream of this.streams(index)) await stream.end();
    this.copies = undefined;
    const finished_at_ms = ended?.at ?? this.host.now();
    await this.attempt.record({ ...this.resultOf(index, began!), finished_at_ms, ...ending });
  }

  private resultOf(index: number, began: number): CommandResult {
    const { stdout, stderr } = logFiles(index);
    const result = skipped(this.block.commands[index]!, index, began, '');
    return { ...result, stdout_path: stdout, stderr_path: stderr };
  }

  /** `timeout` exits with 124, or dies by the signal that it finally sends. A command may too, but not that late. */
  private ending(index: number, { began, ended, fault }: CommandMarks) {
    const { status, at } = ended!;
    const limit = this.block.commands[index]!.timeout_sec;
    if (fault !== undefined) return { exit_code: null, status: 'failed' as const, error: fault };
    if (status === 0) return { exit_code: 0, status: 'succeeded' as const, error: null };
    if (limit && (status === 124 || status === 137) && at - began! >= limit * 1000) {
      const error = `the command was killed after its timeout of ${limit} s`;
      return { exit_code: null, status: 'timed_out' as const, error };
    }
    const hint = status === 127 ? ' (the program does not exist on the node)' : '';
    return { exit_code: status, status: 'failed' as const, error: `exit code ${status}${hint}` };
  }

  private streams(index: number): OutputCopy[] {
    if (this.copies?.index === index) return this.copies.streams;
    const stem = markerStem(index);
    const files = logFiles(index);
    const streams = (['stdout', 'stderr'] as const).map(
      (stream) =>
        new OutputCopy(
          this.area.path(`${stem}.${stream}`),
          join(this.attempt.folder, files[stream]),
          this.host.redactor,
          (text) => this.host.log(stream, text),
        ),
    );
    this.copies = { index, streams };
    return streams;
  }
}

function interruption(why: string, timedOut: boolean): Ending {
  return { exit_code: null, status: timedOut ? 'timed_out' : 'failed', error: why };
}

/** By SIGKILL or SIGTERM, as shells report it. */
function isKilled({ exit_code: code }: CommandResult): boolean {
  return code === 137 || code === 143;
}
