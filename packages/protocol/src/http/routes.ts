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
    about: 'whether the process answers',
  },
  'health.ready': {
    method: 'GET',
    path: '/readyz',
    role: 'anyone',
    unlimited: true,
    about: 'whether it can work: the store answers and the server does not stop',
  },
  'openapi.get': {
    method: 'GET',
    path: '/openapi.json',
    role: 'anyone',
    about: 'the OpenAPI description of all calls',
  },
  'docs.page': { method: 'GET', path: '/docs/api', role: 'anyone', about: 'a page to try the calls' },
  'me.get': { method: 'GET', path: '/v1/me', role: 'viewer', worker: true, about: 'whose token this is' },

  'documents.register': {
    method: 'POST',
    path: '/v1/documents',
    role: 'operator',
    status: 201,
    about:
      'checks a document and keeps it under its path, as a version by its hash; makes the schedules that it declares',
  },
  'documents.list': { method: 'GET', path: '/v1/documents', role: 'viewer', about: 'registered documents' },
  'documents.get': {
    method: 'GET',
    path: '/v1/documents/:path',
    role: 'viewer',
    about: 'a document, its newest version or a given one',
  },
  'documents.remove': {
    method: 'DELETE',
    path: '/v1/documents/:path',
    role: 'operator',
    status: 204,
    about: 'forgets a document and the schedules that it declares; its executions stay',
  },
  'documents.lint': {
    method: 'POST',
    path: '/v1/lint',
    role: 'viewer',
    silent: true,
    about: 'what is wrong with a document; keeps nothing',
  },

  'executions.start': {
    method: 'POST',
    path: '/v1/executions',
    role: 'operator',
    status: 201,
    about: 'starts a registered document or a given text; durable when it is answered',
  },
  'executions.list': { method: 'GET', path: '/v1/executions', role: 'viewer', about: 'newest first' },
  'executions.get': {
    method: 'GET',
    path: id,
    role: 'viewer',
    about: 'how an execution stands, step by step',
  },
  'executions.row': {
    method: 'GET',
    path: `${id}/row`,
    role: 'viewer',
    about: 'an execution as lists show it, without its steps',
  },
  'executions.state': {
    method: 'GET',
    path: `${id}/state`,
    role: 'viewer',
    about: 'the state as a snapshot, to go on from with events',
  },
  'executions.events': {
    method: 'GET',
    path: `${id}/events`,
    role: 'viewer',
    about: 'a page of events; with Accept: text/event-stream all of them, and those to come',
  },
  'executions.result': {
    method: 'GET',
    path: `${id}/result`,
    role: 'viewer',
    about: 'the result of the execution or of a step; load=false gives references in place of stored values',
  },
  'executions.logs': { method: 'GET', path: `${id}/logs`, role: 'viewer', about: 'what tasks wrote' },
  'executions.why': {
    method: 'GET',
    path: `${id}/why`,
    role: 'viewer',
    about: 'why it stands where it stands',
  },
  'executions.jobs': {
    method: 'GET',
    path: `${id}/jobs`,
    role: 'viewer',
    about: 'its jobs, those that have ended too',
  },
  'executions.step-runs': {
    method: 'GET',
    path: `${id}/step-runs`,
    role: 'viewer',
    about: 'every firing of every step',
  },
  'executions.cancel': {
    method: 'POST',
    path: `${id}/cancel`,
    role: 'operator',
    about: 'ends it now',
  },
  'executions.pause': {
    method: 'POST',
    path: `${id}/pause`,
    role: 'operator',
    about: 'lets tasks end and starts nothing further',
  },
  'executions.resume': { method: 'POST', path: `${id}/resume`, role: 'operator', about: 'goes on' },
  'executions.approve': {
    method: 'POST',
    path: `${id}/approve`,
    role: 'operator',
    about: 'lets a step go on that waits for a person',
  },
  'executions.reject': {
    method: 'POST',
    path: `${id}/reject`,
    role: 'operator',
    about: 'fails a step that waits for a person',
  },
  'executions.rerun': {
    method: 'POST',
    path: `${id}/rerun`,
    role: 'operator',
    status: 201,
    about: 'a new execution that adopts what succeeded',
  },

  'plans.get': { method: 'GET', path: '/v1/plans/:hash', role: 'viewer', worker: true, about: 'a plan' },
  'blobs.add': {
    method: 'POST',
    path: '/v1/blobs',
    role: 'operator',
    worker: true,
    status: 201,
    silent: true,
    about: 'stores a value and tells its hash',
  },
  'blobs.get': {
    method: 'GET',
    path: '/v1/blobs/:sha256',
    role: 'viewer',
    worker: true,
    about: 'a stored value, as a stream',
  },
  'blobs.put': {
    method: 'PUT',
    path: '/v1/blobs/:sha256',
    role: 'operator',
    worker: true,
    status: 204,
    silent: true,
    about: 'stores a value; its bytes must have that hash',
  },

  'workers.list': { method: 'GET', path: '/v1/workers', role: 'viewer', about: 'workers and servers' },
  'workers.drain': {
    method: 'POST',
    path: '/v1/workers/:id/drain',
    role: 'operator',
    status: 202,
    about: 'the worker finishes its jobs and takes no new ones; repeating the call changes nothing',
  },

  'tokens.create': {
    method: 'POST',
    path: '/v1/tokens',
    role: 'admin',
    status: 201,
    about: 'a new token, whose secret is shown this once',
  },
  'tokens.list': { method: 'GET', path: '/v1/tokens', role: 'admin', about: 'tokens, without secrets' },
  'tokens.revoke': {
    method: 'DELETE',
    path: '/v1/tokens/:id',
    role: 'admin',
    status: 204,
    about: 'ends a token',
  },
  'secrets.put': {
    method: 'PUT',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
    about: 'stores the fields of a secret, encrypted; nothing gives them back',
  },
  'secrets.list': { method: 'GET', path: '/v1/secrets', role: 'admin', about: 'names and fields of secrets' },
  'secrets.remove': {
    method: 'DELETE',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
    about: 'forgets a secret',
  },
  'audit.list': { method: 'GET', path: '/v1/audit', role: 'admin', about: 'who changed what, newest first' },

  'schedules.create': {
    method: 'POST',
    path: '/v1/schedules',
    role: 'operator',
    status: 201,
    about: 'starts a registered document again and again',
  },
  'schedules.list': {
    method: 'GET',
    path: '/v1/schedules',
    role: 'viewer',
    about: 'all of them, with their next times',
  },
  'schedules.get': {
    method: 'GET',
    path: schedule,
    role: 'viewer',
    about: 'a schedule, its next times, and what became of the last ones',
  },
  'schedules.update': {
    method: 'PUT',
    path: schedule,
    role: 'operator',
    about: 'changes what a schedule does; its runs so far stay',
  },
  'schedules.remove': {
    method: 'DELETE',
    path: schedule,
    role: 'operator',
    status: 204,
    about: 'forgets a schedule; its runs stay',
  },
  'schedules.pause': {
    method: 'POST',
    path: `${schedule}/pause`,
    role: 'operator',
    about: 'lets its times pass',
  },
  'schedules.resume': { method: 'POST', path: `${schedule}/resume`, role: 'operator', about: 'goes on' },
  'schedules.run': {
    method: 'POST',
    path: `${schedule}/run`,
    role: 'operator',
    status: 201,
    about: 'starts a run at once, whatever goes on',
  },

  'server.get': {
    method: 'GET',
    path: '/v1/server',
    role: 'viewer',
    about: 'the process that answers: version, store, uptime, what it is doing',
  },
  'server.stop': {
    method: 'POST',
    path: '/v1/server/stop',
    role: 'admin',
    status: 202,
    about: 'stops the process that answers, as SIGTERM does: jobs may end within its grace time',
  },
  'metrics.get': { method: 'GET', path: '/metrics', role: 'viewer', about: 'numbers for Prometheus' },
  'limits.get': { method: 'GET', path: '/v1/limits', role: 'viewer', about: 'who is inside which limit' },
  'queue.get': {
    method: 'GET',
    path: '/v1/queue',
    role: 'viewer',
    about: 'which jobs wait for a worker, and why',
  },

  'work.claim': work('claim', 'asks for jobs; waits until there is something'),
  'work.report': work('report', 'says what became of tasks'),
  'work.beat': work('beat', 'says that the worker is there, and what it is at'),
  'work.leave': work('leave', 'the worker goes'),
  'work.child': work('child', 'starts a nested playbook, or finds it'),
  'work.cancelChild': work('cancel-child', 'ends a nested playbook'),
  'work.enter': work('enter', 'asks to start a task that has a limit'),
  'work.exit': work('exit', 'such a task has ended'),
  'work.log': work('log', 'what tasks wrote'),
  // The audit tells who was given secrets.
  'work.secrets': {
    method: 'POST',
    path: '/v1/work/secrets',
    role: 'worker',
    about: 'the secrets that the document of a job uses, for the worker that holds it',
  },
} as const satisfies Record<string, Route>;

function work<const P extends string, const A extends string>(path: P, about: A) {
  return { method: 'POST', path: `/v1/work/${path}`, role: 'worker', silent: true, about } as const;
}

export type RouteName = keyof typeof ROUTES;
