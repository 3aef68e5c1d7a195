/**
 * Every call that a server answers: its name, its path, and who may make it.
 *
 * Servers register their routes from this table, clients call by its names, and OpenAPI and the role matrix derive from
 * it. What a call does, takes and returns is in `http/`, which clients need only as types.
 */

/** Each role includes the rights of those before it. */
export const RANKS = ['viewer', 'operator', 'admin'] as const;

/** A worker may do worker calls and nothing else. */
export const ROLES = [...RANKS, 'worker'] as const;

export type Role = (typeof ROLES)[number];

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment. */
  path: `/${string}`;
  /** The minimum role; `anyone` needs no token. An admin may do everything. */
  role: Role | 'anyone';
  /** Workers may call it too. */
  worker?: true;
  /** Exempt from rate limiting: monitoring calls it, and it costs nothing. */
  unlimited?: true;
  /** The status of a successful answer, if it is not 200. */
  status?: 201 | 202 | 204;
  /** Not audited: it changes nothing, or it is called too often. */
  silent?: true;
  /** With `dry_run` in its body, it changes nothing and is not audited. */
  hasDryRun?: true;
}

const id = '/v1/executions/:id';
const schedule = '/v1/schedules/:id';

export const ROUTES = {
  'health.live': {
    method: 'GET',
    path: '/healthz',
    role: 'anyone',
    unlimited: true,
  },
  'health.ready': {
    method: 'GET',
    path: '/readyz',
    role: 'anyone',
    unlimited: true,
  },
  'openapi.get': {
    method: 'GET',
    path: '/openapi.json',
    role: 'anyone',
  },
  'docs.page': {
    method: 'GET',
    path: '/docs/api',
    role: 'anyone',
  },
  'me.get': {
    method: 'GET',
    path: '/v1/me',
    role: 'viewer',
    worker: true,
  },

  'login.start': {
    method: 'POST',
    path: '/v1/login',
    role: 'anyone',
  },
  'login.code': {
    method: 'POST',
    path: '/v1/login/codes',
    role: 'viewer',
    status: 201,
  },
  'login.end': {
    method: 'POST',
    path: '/v1/logout',
    role: 'viewer',
    worker: true,
    status: 204,
  },

  'documents.register': {
    method: 'POST',
    path: '/v1/documents',
    role: 'operator',
    status: 201,
  },
  'documents.list': {
    method: 'GET',
    path: '/v1/documents',
    role: 'viewer',
  },
  'documents.get': {
    method: 'GET',
    path: '/v1/documents/:path',
    role: 'viewer',
  },
  'documents.remove': {
    method: 'DELETE',
    path: '/v1/documents/:path',
    role: 'operator',
    status: 204,
  },
  'documents.lint': {
    method: 'POST',
    path: '/v1/lint',
    role: 'viewer',
    silent: true,
  },

  'executions.start': {
    method: 'POST',
    path: '/v1/executions',
    role: 'operator',
    status: 201,
  },
  'executions.list': {
    method: 'GET',
    path: '/v1/executions',
    role: 'viewer',
  },
  'executions.counts': {
    method: 'GET',
    path: '/v1/executions/counts',
    role: 'viewer',
  },
  'executions.gates': {
    method: 'GET',
    path: '/v1/executions/gates',
    role: 'viewer',
  },
  'changes.stream': {
    method: 'GET',
    path: '/v1/changes',
    role: 'viewer',
  },
  'executions.get': {
    method: 'GET',
    path: id,
    role: 'viewer',
  },
  'executions.row': {
    method: 'GET',
    path: `${id}/row`,
    role: 'viewer',
  },
  'executions.state': {
    method: 'GET',
    path: `${id}/state`,
    role: 'viewer',
  },
  'executions.events': {
    method: 'GET',
    path: `${id}/events`,
    role: 'viewer',
  },
  'executions.result': {
    method: 'GET',
    path: `${id}/result`,
    role: 'viewer',
  },
  'executions.input': {
    method: 'GET',
    path: `${id}/input`,
    role: 'viewer',
  },
  'executions.logs': {
    method: 'GET',
    path: `${id}/logs`,
    role: 'viewer',
  },
  'executions.source': {
    method: 'GET',
    path: `${id}/source`,
    role: 'viewer',
  },
  'executions.report': {
    method: 'GET',
    path: `${id}/report`,
    role: 'viewer',
  },
  'executions.why': {
    method: 'GET',
    path: `${id}/why`,
    role: 'viewer',
  },
  'executions.jobs': {
    method: 'GET',
    path: `${id}/jobs`,
    role: 'viewer',
  },
  'executions.step-runs': {
    method: 'GET',
    path: `${id}/step-runs`,
    role: 'viewer',
  },
  'executions.cancel': {
    method: 'POST',
    path: `${id}/cancel`,
    role: 'operator',
  },
  'executions.pause': {
    method: 'POST',
    path: `${id}/pause`,
    role: 'operator',
  },
  'executions.resume': {
    method: 'POST',
    path: `${id}/resume`,
    role: 'operator',
  },
  'executions.approve': {
    method: 'POST',
    path: `${id}/approve`,
    role: 'operator',
  },
  'executions.reject': {
    method: 'POST',
    path: `${id}/reject`,
    role: 'operator',
  },
  'executions.rerun': {
    method: 'POST',
    path: `${id}/rerun`,
    role: 'operator',
    status: 201,
    hasDryRun: true,
  },

  'plans.get': {
    method: 'GET',
    path: '/v1/plans/:hash',
    role: 'viewer',
    worker: true,
  },
  'blobs.add': {
    method: 'POST',
    path: '/v1/blobs',
    role: 'operator',
    worker: true,
    status: 201,
    silent: true,
  },
  'blobs.get': {
    method: 'GET',
    path: '/v1/blobs/:sha256',
    role: 'viewer',
    worker: true,
  },
  'blobs.put': {
    method: 'PUT',
    path: '/v1/blobs/:sha256',
    role: 'operator',
    worker: true,
    status: 204,
    silent: true,
  },

  'workers.list': { method: 'GET', path: '/v1/workers', role: 'viewer' },
  'workers.drain': {
    method: 'POST',
    path: '/v1/workers/:id/drain',
    role: 'operator',
    status: 202,
  },
  'workers.resume': {
    method: 'POST',
    path: '/v1/workers/:id/resume',
    role: 'operator',
    status: 202,
  },

  'tokens.create': {
    method: 'POST',
    path: '/v1/tokens',
    role: 'admin',
    status: 201,
  },
  'tokens.list': { method: 'GET', path: '/v1/tokens', role: 'admin' },
  'tokens.revoke': {
    method: 'DELETE',
    path: '/v1/tokens/:id',
    role: 'admin',
    status: 204,
  },
  'secrets.put': {
    method: 'PUT',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
  },
  'secrets.list': {
    method: 'GET',
    path: '/v1/secrets',
    role: 'admin',
  },
  'secrets.remove': {
    method: 'DELETE',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
  },
  'audit.list': {
    method: 'GET',
    path: '/v1/audit',
    role: 'admin',
  },

  'schedules.create': {
    method: 'POST',
    path: '/v1/schedules',
    role: 'operator',
    status: 201,
  },
  'schedules.list': {
    method: 'GET',
    path: '/v1/schedules',
    role: 'viewer',
  },
  'schedules.get': {
    method: 'GET',
    path: schedule,
    role: 'viewer',
  },
  'schedules.update': {
    method: 'PUT',
    path: schedule,
    role: 'operator',
  },
  'schedules.remove': {
    method: 'DELETE',
    path: schedule,
    role: 'operator',
    status: 204,
  },
  'schedules.pause': {
    method: 'POST',
    path: `${schedule}/pause`,
    role: 'operator',
  },
  'schedules.resume': {
    method: 'POST',
    path: `${schedule}/resume`,
    role: 'operator',
  },
  'schedules.run': {
    method: 'POST',
    path: `${schedule}/run`,
    role: 'operator',
    status: 201,
  },
  'schedules.backfill': {
    method: 'POST',
    path: `${schedule}/backfill`,
    role: 'operator',
    status: 202,
    hasDryRun: true,
  },

  'server.get': {
    method: 'GET',
    path: '/v1/server',
    role: 'viewer',
  },
  'server.stop': {
    method: 'POST',
    path: '/v1/server/stop',
    role: 'admin',
    status: 202,
  },
  'metrics.get': { method: 'GET', path: '/metrics', role: 'viewer' },
  'limits.get': {
    method: 'GET',
    path: '/v1/limits',
    role: 'viewer',
  },
  'queue.get': {
    method: 'GET',
    path: '/v1/queue',
    role: 'viewer',
  },

  'work.claim': work('claim'),
  'work.report': work('report'),
  'work.beat': work('beat'),
  'work.leave': work('leave'),
  'work.child': work('child'),
  'work.cancelChild': work('cancel-child'),
  'work.enter': work('enter'),
  'work.exit': work('exit'),
  'work.log': work('log'),
  // The audit log records who received secrets.
  'work.secrets': {
    method: 'POST',
    path: '/v1/work/secrets',
    role: 'worker',
  },
} as const satisfies Record<string, Route>;

function work<const P extends string>(path: P) {
  return { method: 'POST', path: `/v1/work/${path}`, role: 'worker', silent: true } as const;
}

export type RouteName = keyof typeof ROUTES;
