/** The verbs: name → what it does → its file, which is loaded when the verb is called. */
import type { Verb } from './verb.ts';

export interface VerbEntry {
  summary: string;
  /** Verbs differ in their options; each gets exactly the flags that it declares. */
  load(): Promise<{ verb: unknown }>;
}

export const VERBS: Record<string, VerbEntry> = {
  run: { summary: 'run a document on this machine', load: () => import('./verbs/run.ts') },
  init: { summary: 'create a small example project', load: () => import('./verbs/init.ts') },
  test: { summary: 'run the test cells of a notebook', load: () => import('./verbs/test.ts') },
  export: { summary: 'convert a notebook to another format', load: () => import('./verbs/export.ts') },
  import: {
    summary: 'convert a Jupyter notebook to a Woof notebook',
    load: () => import('./verbs/import.ts'),
  },
  unbundle: { summary: 'extract the sources of a page', load: () => import('./verbs/unbundle.ts') },
  status: { summary: 'compare a page with its sources', load: () => import('./verbs/status.ts') },
  check: { summary: 'check that a page meets the workbook standard', load: () => import('./verbs/check.ts') },
  inspect: {
    summary: 'show what a page contains and which permissions it requests',
    load: () => import('./verbs/inspect.ts'),
  },
  clean: { summary: 'remove the outputs of notebooks', load: () => import('./verbs/clean.ts') },
  lint: { summary: 'check documents for errors', load: () => import('./verbs/lint.ts') },
  fmt: { summary: 'format documents in place', load: () => import('./verbs/fmt.ts') },
  upgrade: {
    summary: 'rewrite a playbook from the older dialect to v10',
    load: () => import('./verbs/upgrade.ts'),
  },
  graph: { summary: 'draw the steps of a document', load: () => import('./verbs/graph.ts') },
  build: { summary: 'build one HTML file that opens anywhere', load: () => import('./verbs/build.ts') },
  runs: { summary: 'list runs, newest first', load: () => import('./verbs/runs.ts') },
  show: { summary: 'show the state of a run, step by step', load: () => import('./verbs/show.ts') },
  events: { summary: 'print the events of a run', load: () => import('./verbs/events.ts') },
  logs: {
    summary: 'print what the tasks of a run wrote to stdout and stderr',
    load: () => import('./verbs/logs.ts'),
  },
  why: {
    summary: 'explain why a run failed, is waiting or skipped a step',
    load: () => import('./verbs/why.ts'),
  },
  result: { summary: 'print the result of a run or of a step', load: () => import('./verbs/result.ts') },
  resume: { summary: 'continue a paused or interrupted run', load: () => import('./verbs/resume.ts') },
  pause: { summary: 'pause a run between tasks', load: () => import('./verbs/pause.ts') },
  cancel: { summary: 'stop a run for good', load: () => import('./verbs/cancel.ts') },
  approve: {
    summary: 'approve a step that is waiting for approval',
    load: () => import('./verbs/approve.ts'),
  },
  reject: { summary: 'reject a step that is waiting for approval', load: () => import('./verbs/reject.ts') },
  rerun: {
    summary: 'start a new run that reuses the steps that succeeded',
    load: () => import('./verbs/rerun.ts'),
  },
  verify: {
    summary: 'verify that the stored files of a run are unchanged',
    load: () => import('./verbs/verify.ts'),
  },
  gc: { summary: 'remove files of old runs and unused stored values', load: () => import('./verbs/gc.ts') },
  submit: { summary: 'start a run on a server', load: () => import('./verbs/submit.ts') },
  server: {
    summary: 'start a server that stores runs and assigns their jobs to workers',
    load: () => import('./verbs/server.ts'),
  },
  worker: {
    summary: 'start a worker that performs jobs for a server',
    load: () => import('./verbs/worker.ts'),
  },
  workers: {
    summary: 'list, drain or resume the workers of a server',
    load: () => import('./verbs/workers.ts'),
  },
  up: { summary: 'start a server and one worker in a single process', load: () => import('./verbs/up.ts') },
  schedule: { summary: 'run a document on a schedule', load: () => import('./verbs/schedule.ts') },
  secret: { summary: 'store secrets for the keychain of playbooks', load: () => import('./verbs/secret.ts') },
  open: {
    summary: 'open an HTML file, isolated from the network and your data',
    load: () => import('./verbs/open.ts'),
  },
  token: { summary: 'create, list and revoke server tokens', load: () => import('./verbs/token.ts') },
  completion: {
    summary: 'print a shell completion script',
    load: async () => ({ verb: (await import('./verbs/completion.ts')).completionOf(VERBS) }),
  },
  doctor: {
    summary: 'check what Woof finds on this machine and what is missing',
    load: () => import('./verbs/doctor.ts'),
  },
};

/** Former names: they work, but no list shows them. */
const FORMER: Record<string, VerbEntry> = {
  bundle: { summary: 'the former name of woof verify', load: () => import('./verbs/bundle.ts') },
};

export function findVerb(name: string): VerbEntry | undefined {
  return [VERBS, FORMER].find((verbs) => Object.hasOwn(verbs, name))?.[name];
}

export async function loadVerb(entry: VerbEntry): Promise<Verb> {
  return (await entry.load()).verb as Verb;
}
