/** The verbs: name → what it does → its file, which is loaded when the verb is called. */
import type { Verb } from './verb.ts';

export interface VerbEntry {
  summary: string;
  /** Verbs differ in their options; each gets exactly the flags that it declares. */
  load(): Promise<{ verb: unknown }>;
}

export const VERBS: Record<string, VerbEntry> = {
  run: { summary: 'run a document here and now', load: () => import('./verbs/run.ts') },
  init: { summary: 'make a small project to begin with', load: () => import('./verbs/init.ts') },
  test: { summary: 'run the test cells of a notebook', load: () => import('./verbs/test.ts') },
  export: { summary: 'write a notebook in another format', load: () => import('./verbs/export.ts') },
  import: { summary: 'make a notebook of a Jupyter notebook', load: () => import('./verbs/import.ts') },
  unbundle: { summary: 'take the sources out of a page', load: () => import('./verbs/unbundle.ts') },
  status: { summary: 'compare a page with its sources', load: () => import('./verbs/status.ts') },
  check: { summary: 'check that a page keeps the standard', load: () => import('./verbs/check.ts') },
  inspect: { summary: 'tell what a page is and asks for', load: () => import('./verbs/inspect.ts') },
  clean: { summary: 'remove the outputs of notebooks', load: () => import('./verbs/clean.ts') },
  lint: { summary: 'check documents', load: () => import('./verbs/lint.ts') },
  fmt: { summary: 'format documents in place', load: () => import('./verbs/fmt.ts') },
  upgrade: { summary: 'rewrite a playbook of the older dialect', load: () => import('./verbs/upgrade.ts') },
  graph: { summary: 'draw the steps of a document', load: () => import('./verbs/graph.ts') },
  build: { summary: 'make one HTML file that opens anywhere', load: () => import('./verbs/build.ts') },
  runs: { summary: 'list runs, newest first', load: () => import('./verbs/runs.ts') },
  show: { summary: 'show how a run stands, step by step', load: () => import('./verbs/show.ts') },
  events: { summary: 'print the log of a run', load: () => import('./verbs/events.ts') },
  logs: { summary: 'print what tasks of a run wrote', load: () => import('./verbs/logs.ts') },
  why: { summary: 'explain why a run stands where it stands', load: () => import('./verbs/why.ts') },
  result: { summary: 'print the result of a run or of a step', load: () => import('./verbs/result.ts') },
  resume: { summary: 'continue a paused or interrupted run', load: () => import('./verbs/resume.ts') },
  pause: { summary: 'pause a run between two tasks', load: () => import('./verbs/pause.ts') },
  cancel: { summary: 'end a run now', load: () => import('./verbs/cancel.ts') },
  approve: { summary: 'let a step go on that waits for a person', load: () => import('./verbs/approve.ts') },
  reject: { summary: 'fail a step that waits for a person', load: () => import('./verbs/reject.ts') },
  rerun: { summary: 'run again what failed, keep the rest', load: () => import('./verbs/rerun.ts') },
  bundle: {
    summary: 'check that the files of a run are as they were',
    load: () => import('./verbs/bundle.ts'),
  },
  gc: { summary: 'remove files of old runs and what nobody names', load: () => import('./verbs/gc.ts') },
  submit: { summary: 'start a document at a server', load: () => import('./verbs/submit.ts') },
  server: { summary: 'keep runs and give their jobs to workers', load: () => import('./verbs/server.ts') },
  worker: { summary: 'do the jobs of a server', load: () => import('./verbs/worker.ts') },
  workers: { summary: 'list the workers of a server, drain one', load: () => import('./verbs/workers.ts') },
  up: { summary: 'a server and a worker in one process', load: () => import('./verbs/up.ts') },
  schedule: { summary: 'start a document again and again', load: () => import('./verbs/schedule.ts') },
  secret: { summary: 'keep secrets for the keychain of playbooks', load: () => import('./verbs/secret.ts') },
  open: { summary: 'show an HTML file in a box', load: () => import('./verbs/open.ts') },
  token: { summary: 'make, list and revoke tokens of a server', load: () => import('./verbs/token.ts') },
  completion: {
    summary: 'complete words in a shell',
    load: async () => ({ verb: (await import('./verbs/completion.ts')).completionOf(VERBS) }),
  },
  doctor: { summary: 'tell what this machine has and lacks', load: () => import('./verbs/doctor.ts') },
};

export async function loadVerb(entry: VerbEntry): Promise<Verb> {
  return (await entry.load()).verb as Verb;
}
