/**
 * Submits jobs to Slurm, a few at a time. Stages of one matrix that become ready together form one array, however long
 * each takes to prepare: an array is not submitted while a stage that fits into it is expected.
 *
 * Invariant: the name under which Slurm will know a job is durable in its area before sbatch is called.
 */
import { createHash } from 'node:crypto';
import { Turnstile } from '../../turnstile.ts';
import type { JobArea, JobName } from './job-area.ts';
import { quote } from './quote.ts';
import { sbatch } from './slurm-commands.ts';

export interface Submission {
  area: JobArea;
  /** The same for every lease of one try, and unique to that try. */
  token: string;
  /** For people who look at the queue. */
  title: string;
  workdir: string;
  args: string[];
  script: string;
  group?: Group;
}

/** Jobs of one group, with the same arguments, may become one array. */
export interface Group {
  key: string;
  title: string;
  /** The number of jobs in the group. */
  count: number;
}

export interface Submitted {
  id: string;
  name: JobName;
}

interface Member {
  submission: Submission;
  resolve: (submitted: Submitted) => void;
  reject: (error: unknown) => void;
}

/** An array in the making. */
interface Gathering {
  group: Group;
  members: Member[];
  /** From now on, it waits only for stages that are already expected. */
  isDue: boolean;
}

/** How long the stages of a matrix may take to become ready, and so expected, one after another. */
const WINDOW_MS = 100;
/** Slurm's own limit is 1,001 unless the site configures another. */
const LARGEST_ARRAY = 500;
const AT_ONCE = 4;

export class Submitter {
  private readonly turnstile = new Turnstile(AT_ONCE);
  private readonly gatherings = new Map<string, Gathering>();
  /** Titles of jobs that will be submitted, by the key of their group. */
  private readonly expected = new Map<string, Set<string>>();

  /** A job of the group is being prepared: the others wait for it until it is submitted or withdrawn. */
  expect({ key }: Group, title: string): () => void {
    const titles = this.expected.get(key) ?? new Set<string>();
    this.expected.set(key, titles.add(title));
    return () => this.withdraw({ key }, title);
  }

  withdraw({ key }: Pick<Group, 'key'>, title: string): void {
    const titles = this.expected.get(key);
    if (!titles?.delete(title) || titles.size > 0) return;
    this.expected.delete(key);
    for (const [name, { group, isDue }] of this.gatherings) if (isDue && group.key === key) this.flush(name);
  }

  submit(submission: Submission): Promise<Submitted> {
    const { group } = submission;
    if (group === undefined || group.count < 2) return this.single(submission);
    return new Promise((resolve, reject) => this.join({ submission, resolve, reject }));
  }

  private join(member: Member): void {
    const { group, args, workdir, title } = member.submission;
    const name = JSON.stringify([group!.key, workdir, args]);
    const gathering = this.gatherings.get(name) ?? this.gather(name, group!);
    gathering.members.push(member);
    if (gathering.members.length >= Math.min(group!.count, LARGEST_ARRAY)) this.flush(name);
    this.withdraw(group!, title);
  }

  private gather(name: string, group: Group): Gathering {
    const gathering: Gathering = { group, members: [], isDue: false };
    this.gatherings.set(name, gathering);
    setTimeout(() => {
      gathering.isDue = true;
      if (this.gatherings.get(name) === gathering && !this.expected.has(group.key)) this.flush(name);
    }, WINDOW_MS);
    return gathering;
  }

  private flush(name: string): void {
    const { members } = this.gatherings.get(name)!;
    this.gatherings.delete(name);
    const [only] = members;
    if (members.length === 1) {
      this.single(only!.submission).then(only!.resolve, only!.reject);
      return;
    }
    this.array(members).catch((error: unknown) => {
      for (const { reject } of members) reject(error);
    });
  }

  /** A queued submission is not aborted, because its name has already been written. */
  private pass<T>(body: () => Promise<T>): Promise<T> {
    return this.turnstile.pass(new AbortController().signal, body);
  }

  private async single(submission: Submission): Promise<Submitted> {
    const { area, title, token } = submission;
    const name: JobName = { name: jobName(title, token), index: null };
    await area.writeName(name);
    const outputs = [
      `--output=${escaped(area.path('slurm.stdout.log'))}`,
      `--error=${escaped(area.path('slurm.stderr.log'))}`,
    ];
    const args = [...argsOf(submission, name.name), ...outputs];
    return { id: await this.pass(() => sbatch(args, submission.script)), name };
  }

  private async array(members: Member[]): Promise<void> {
    const submissions = members.map(({ submission }) => submission);
    const [first] = submissions;
    const name = jobName(first!.group!.title, submissions.map(({ token }) => token).join());
    for (const [index, { area, script }] of submissions.entries()) {
      await area.write('job.sh', script);
      await area.writeName({ name, index });
    }
    const args = [...argsOf(first!, name), `--array=0-${members.length - 1}`, '--output=/dev/null'];
    const id = await this.pass(() => sbatch(args, arrayScript(submissions)));
    for (const [index, { resolve }] of members.entries())
      resolve({ id: `${id}_${index}`, name: { name, index } });
  }
}

/** Later arguments win. A job that Slurm reruns by itself would only find that it had already begun. */
function argsOf({ args, workdir }: Submission, name: string): string[] {
  return [
    ...args,
    `--job-name=${name}`,
    `--chdir=${workdir}`,
    '--no-requeue',
    '--open-mode=append',
    '--export=ALL',
  ];
}

function jobName(title: string, token: string): string {
  const readable = title.replaceAll(/[^\w.-]+/g, '_').slice(0, 60);
  return `woof:${readable}:${createHash('sha256').update(token).digest('hex').slice(0, 24)}`;
}

/** sbatch expands %j and similar patterns, and a backslash disables that for the whole name. */
function escaped(path: string): string {
  return path.replaceAll('%', '%%');
}

/** Each element runs the script of its own stage. If its area is gone, it is not wanted any more. */
function arrayScript(submissions: Submission[]): string {
  const cases = submissions.map(({ area }, index) => {
    const [script, out, err] = ['job.sh', 'slurm.stdout.log', 'slurm.stderr.log'].map((name) =>
      quote(area.path(name)),
    );
    return `${index}) [ ! -e ${script} ] || exec /bin/bash ${script} >>${out} 2>>${err} ;;`;
  });
  return ['#!/bin/bash', 'case $SLURM_ARRAY_TASK_ID in', ...cases, 'esac', ''].join('\n');
}
