/**
 * Every call that a server answers: its name, where it is, and who may make it.
 *
 * Servers register from this table, clients call by its names, OpenAPI and the matrix of roles derive from it. What a
 * call takes and gives stands in the schemas beside it, which clients need only as types.
 */

/** Each may do what those before it may. */
export const RANKS = ['viewer', 'operator', 'admin'] as const;

/** A worker works, and does nothing else. */
export const ROLES = [...RANKS, 'worker'] as const;

export type Role = (typeof ROLES)[number];

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment. */
  path: `/${string}`;
  /** The least role; `anyone` needs no token. An admin may do everything. */
  role: Role | 'anyone';
  /** Workers may, too. */
  worker?: true;
  /** Never refused for being asked too often: whoever watches a server asks it, and it costs nothing. */
  unlimited?: true;
  /** The status of a good answer, where it is not 200. */
  status?: 201 | 202 | 204;
  /** It leaves no trace in the audit: it changes nothing, or too often. */
  silent?: true;
  /** With `dry_run` in its body, it changes nothing and leaves no trace in the audit. */
  hasDryRun?: true;
  about: string;
}

const id = '/v1/executions/:id';
const schedule = '/v1/schedules/:id';

export const ROUTES = {
  'health.live': {
    method: 'GET',
    path: '/healthz',
    role: 'anyone',
    unlimited: true,
    about: 'Reports whether the process answers',
  },
  'health.ready': {
    method: 'GET',
    path: '/readyz',
    role: 'anyone',
    unlimited: true,
    about: 'Reports whether the server can work: the store accepts writes and the server is not stopping',
  },
  'openapi.get': {
    method: 'GET',
    path: '/openapi.json',
    role: 'anyone',
    about: 'Returns the OpenAPI description of all calls',
  },
  'docs.page': {
    method: 'GET',
    path: '/docs/api',
    role: 'anyone',
    about: 'Returns a page where you can try the calls',
  },
  'me.get': {
    method: 'GET',
    path: '/v1/me',
    role: 'viewer',
    worker: true,
    about: 'Returns the name and role of the token',
  },

  'login.start': {
    method: 'POST',
    path: '/v1/login',
    role: 'anyone',
    about: 'Signs in a browser with a token or a one-time code, and sets the session cookie',
  },
  'login.code': {
    method: 'POST',
    path: '/v1/login/codes',
    role: 'viewer',
    status: 201,
    about:
      'Creates a code that signs in one browser with the role of the calling token, once, within 15 minutes',
  },
  'login.end': {
    method: 'POST',
    path: '/v1/logout',
    role: 'viewer',
    worker: true,
    status: 204,
    about: 'Ends the session of the cookie',
  },

  'documents.register': {
    method: 'POST',
    path: '/v1/documents',
    role: 'operator',
    status: 201,
    about:
      'Checks a document, stores it under its path as a version named by its hash, and creates the schedules that it declares',
  },
  'documents.list': {
    method: 'GET',
    path: '/v1/documents',
    role: 'viewer',
    about: 'Lists registered documents',
  },
  'documents.get': {
    method: 'GET',
    path: '/v1/documents/:path',
    role: 'viewer',
    about: 'Returns the newest or a given version of a document',
  },
  'documents.remove': {
    method: 'DELETE',
    path: '/v1/documents/:path',
    role: 'operator',
    status: 204,
    about: 'Removes a document and the schedules that it declares; its executions are kept',
  },
  'documents.lint': {
    method: 'POST',
    path: '/v1/lint',
    role: 'viewer',
    silent: true,
    about: 'Checks a document without storing it',
  },

  'executions.start': {
    method: 'POST',
    path: '/v1/executions',
    role: 'operator',
    status: 201,
    about: 'Starts a registered document or a given text; the execution is durable when the call returns',
  },
  'executions.list': {
    method: 'GET',
    path: '/v1/executions',
    role: 'viewer',
    about: 'Lists the executions that match a filter, newest first unless order=oldest',
  },
  'executions.counts': {
    method: 'GET',
    path: '/v1/executions/counts',
    role: 'viewer',
    about: 'Counts executions by status, without nested ones',
  },
  'executions.gates': {
    method: 'GET',
    path: '/v1/executions/gates',
    role: 'viewer',
    about: 'Lists the steps of all executions that are waiting for approval',
  },
  'changes.stream': {
    method: 'GET',
    path: '/v1/changes',
    role: 'viewer',
    about: 'Streams the rows of executions as they change (Accept: text/event-stream)',
  },
  'executions.get': {
    method: 'GET',
    path: id,
    role: 'viewer',
    about: 'Returns the state of an execution, step by step',
  },
  'executions.row': {
    method: 'GET',
    path: `${id}/row`,
    role: 'viewer',
    about: 'Returns an execution as lists show it, without its steps',
  },
  'executions.state': {
    method: 'GET',
    path: `${id}/state`,
    role: 'viewer',
    about: 'Returns a snapshot of the state, which later events continue',
  },
  'executions.events': {
    method: 'GET',
    path: `${id}/events`,
    role: 'viewer',
    about:
      'Returns a page of events; with Accept: text/event-stream, streams all events and new ones as they happen',
  },
  'executions.result': {
    method: 'GET',
    path: `${id}/result`,
    role: 'viewer',
    about:
      'Returns the result of the execution or of a step; load=false returns references instead of stored values',
  },
  'executions.input': {
    method: 'GET',
    path: `${id}/input`,
    role: 'viewer',
    about: 'Returns what the tasks of a step received in its last run, without secrets',
  },
  'executions.logs': {
    method: 'GET',
    path: `${id}/logs`,
    role: 'viewer',
    about:
      'Returns what tasks wrote, from either end; with Accept: text/event-stream, streams it as it comes',
  },
  'executions.source': {
    method: 'GET',
    path: `${id}/source`,
    role: 'viewer',
    about:
      'Returns the document as it was when the execution started, the lines of its steps, and where it failed',
  },
  'executions.report': {
    method: 'GET',
    path: `${id}/report`,
    role: 'viewer',
    about: 'Returns an HTML file that replays the execution, as woof build makes it',
  },
  'executions.why': {
    method: 'GET',
    path: `${id}/why`,
    role: 'viewer',
    about: 'Explains why the execution failed, is waiting or skipped a step',
  },
  'executions.jobs': {
    method: 'GET',
    path: `${id}/jobs`,
    role: 'viewer',
    about: 'Lists the jobs of an execution, including those that ended',
  },
  'executions.step-runs': {
    method: 'GET',
    path: `${id}/step-runs`,
    role: 'viewer',
    about: 'Lists every run of every step',
  },
  'executions.cancel': {
    method: 'POST',
    path: `${id}/cancel`,
    role: 'operator',
    about: 'Cancels the execution',
  },
  'executions.pause': {
    method: 'POST',
    path: `${id}/pause`,
    role: 'operator',
    about: 'Pauses the execution: running tasks finish and nothing new starts',
  },
  'executions.resume': {
    method: 'POST',
    path: `${id}/resume`,
    role: 'operator',
    about: 'Continues a paused execution',
  },
  'executions.approve': {
    method: 'POST',
    path: `${id}/approve`,
    role: 'operator',
    about: 'Approves a step that is waiting for approval',
  },
  'executions.reject': {
    method: 'POST',
    path: `${id}/reject`,
    role: 'operator',
    about: 'Rejects a step that is waiting for approval; the step fails',
  },
  'executions.rerun': {
    method: 'POST',
    path: `${id}/rerun`,
    role: 'operator',
    status: 201,
    hasDryRun: true,
    about: 'Starts a new execution that reuses the steps that succeeded; dry_run returns which',
  },

  'plans.get': {
    method: 'GET',
    path: '/v1/plans/:hash',
    role: 'viewer',
    worker: true,
    about: 'Returns a plan',
  },
  'blobs.add': {
    method: 'POST',
    path: '/v1/blobs',
    role: 'operator',
    worker: true,
    status: 201,
    silent: true,
    about: 'Stores a value and returns its hash',
  },
  'blobs.get': {
    method: 'GET',
    path: '/v1/blobs/:sha256',
    role: 'viewer',
    worker: true,
    about: 'Streams a stored value',
  },
  'blobs.put': {
    method: 'PUT',
    path: '/v1/blobs/:sha256',
    role: 'operator',
    worker: true,
    status: 204,
    silent: true,
    about: 'Stores a value whose bytes have that hash',
  },

  'workers.list': { method: 'GET', path: '/v1/workers', role: 'viewer', about: 'Lists workers and servers' },
  'workers.drain': {
    method: 'POST',
    path: '/v1/workers/:id/drain',
    role: 'operator',
    status: 202,
    about: 'Drains a worker: it finishes its jobs and takes no new ones; repeating the call changes nothing',
  },

  'tokens.create': {
    method: 'POST',
    path: '/v1/tokens',
    role: 'admin',
    status: 201,
    about: 'Creates a token; its secret is shown only once',
  },
  'tokens.list': { method: 'GET', path: '/v1/tokens', role: 'admin', about: 'Lists tokens, without secrets' },
  'tokens.revoke': {
    method: 'DELETE',
    path: '/v1/tokens/:id',
    role: 'admin',
    status: 204,
    about: 'Revokes a token',
  },
  'secrets.put': {
    method: 'PUT',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
    about: 'Stores the fields of a secret, encrypted; no call returns them to people',
  },
  'secrets.list': {
    method: 'GET',
    path: '/v1/secrets',
    role: 'admin',
    about: 'Lists the names and fields of secrets',
  },
  'secrets.remove': {
    method: 'DELETE',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
    about: 'Removes a secret',
  },
  'audit.list': {
    method: 'GET',
    path: '/v1/audit',
    role: 'admin',
    about: 'Lists who changed what, newest first',
  },

  'schedules.create': {
    method: 'POST',
    path: '/v1/schedules',
    role: 'operator',
    status: 201,
    about: 'Creates a schedule for a registered document',
  },
  'schedules.list': {
    method: 'GET',
    path: '/v1/schedules',
    role: 'viewer',
    about: 'Lists schedules with their next start times',
  },
  'schedules.get': {
    method: 'GET',
    path: schedule,
    role: 'viewer',
    about: 'Returns a schedule, its next start times and its latest runs',
  },
  'schedules.update': {
    method: 'PUT',
    path: schedule,
    role: 'operator',
    about: 'Changes a schedule; its runs are kept',
  },
  'schedules.remove': {
    method: 'DELETE',
    path: schedule,
    role: 'operator',
    status: 204,
    about: 'Removes a schedule; its runs are kept',
  },
  'schedules.pause': {
    method: 'POST',
    path: `${schedule}/pause`,
    role: 'operator',
    about: 'Pauses a schedule: its start times pass without a run',
  },
  'schedules.resume': {
    method: 'POST',
    path: `${schedule}/resume`,
    role: 'operator',
    about: 'Continues a paused schedule',
  },
  'schedules.run': {
    method: 'POST',
    path: `${schedule}/run`,
    role: 'operator',
    status: 201,
    about: 'Starts a run immediately, even if another is active',
  },
  'schedules.backfill': {
    method: 'POST',
    path: `${schedule}/backfill`,
    role: 'operator',
    status: 202,
    hasDryRun: true,
    about: 'Starts the runs of past start times that have none; dry_run returns only the times',
  },

  'server.get': {
    method: 'GET',
    path: '/v1/server',
    role: 'viewer',
    about: 'Describes the server process: version, store, uptime and current work',
  },
  'server.stop': {
    method: 'POST',
    path: '/v1/server/stop',
    role: 'admin',
    status: 202,
    about: 'Stops the server process, as SIGTERM does: jobs can finish within its grace time',
  },
  'metrics.get': { method: 'GET', path: '/metrics', role: 'viewer', about: 'Returns metrics for Prometheus' },
  'limits.get': {
    method: 'GET',
    path: '/v1/limits',
    role: 'viewer',
    about: 'Lists the task runs that hold or wait for a limit',
  },
  'queue.get': {
    method: 'GET',
    path: '/v1/queue',
    role: 'viewer',
    about: 'Lists the jobs that are waiting for a worker, and why',
  },

  'work.claim': work('claim', 'Claims jobs; waits until there are some'),
  'work.report': work('report', 'Reports the outcomes of tasks'),
  'work.beat': work('beat', 'Sends a heartbeat that lists the jobs of the worker'),
  'work.leave': work('leave', 'Removes the worker from the server'),
  'work.child': work('child', 'Starts a nested playbook, or finds the one that was started'),
  'work.cancelChild': work('cancel-child', 'Cancels a nested playbook'),
  'work.enter': work('enter', 'Asks to start a task that has a limit'),
  'work.exit': work('exit', 'Reports that a task with a limit ended'),
  'work.log': work('log', 'Sends what tasks wrote'),
  // The audit tells who was given secrets.
  'work.secrets': {
    method: 'POST',
    path: '/v1/work/secrets',
    role: 'worker',
    about: 'Returns the secrets that the document of a job uses, to the worker that holds the job',
  },
} as const satisfies Record<string, Route>;

function work<const P extends string, const A extends string>(path: P, about: A) {
  return { method: 'POST', path: `/v1/work/${path}`, role: 'worker', silent: true, about } as const;
}

export type RouteName = keyof typeof ROUTES;
