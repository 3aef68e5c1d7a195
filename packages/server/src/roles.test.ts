/**
 * Every call with every token, and with the cookie of every token. Generated from the table of calls, so that none is
 * forgotten.
 */
import { ROUTES, type Role, type Route, type RouteName } from '@woof/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf } from './fixtures/login-calls.ts';
import { testServer } from './fixtures/test-server.ts';

const names = Object.keys(ROUTES) as RouteName[];
const roles: Role[] = ['viewer', 'operator', 'admin', 'worker'];

/** Repeated by hand, so that a mistake in the table shows. */
const FOR_ANYONE = ['docs.page', 'health.live', 'health.ready', 'login.start', 'openapi.get'];
const FOR_WORKERS = ['blobs.add', 'blobs.get', 'blobs.put', 'login.end', 'me.get', 'plans.get'];
const FOR_VIEWERS = ['documents.lint', 'login.code', 'login.end'];
const FOR_ADMINS = [
  'audit.list',
  'secrets.list',
  'secrets.put',
  'secrets.remove',
  'server.stop',
  'tokens.create',
  'tokens.list',
  'tokens.revoke',
];

function may(role: Role, name: RouteName): boolean {
  if (FOR_ANYONE.includes(name) || role === 'admin') return true;
  if (role === 'worker') return name.startsWith('work.') || FOR_WORKERS.includes(name);
  if (name.startsWith('work.') || FOR_ADMINS.includes(name)) return false;
  const { method }: Route = ROUTES[name];
  return role === 'operator' || method === 'GET' || FOR_VIEWERS.includes(name);
}

describe('roles', () => {
  const ends: (() => unknown)[] = [];
  let url = '';
  let tokens = {} as Record<Role, string>;
  beforeAll(async () => {
    ({ url, tokens } = await testServer({ perSecond: 1e6, strangersPerSecond: 1e6 }, (end) =>
      ends.push(end),
    ));
  });

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  /** As a page of the server sends it. */
  const cookie = async (token: string) => ({ cookie: await cookieOf(url, { token }), origin: url });

  async function call(
    name: RouteName,
    caller: Record<string, string> = {},
  ): Promise<{ status: number; code?: string }> {
    const { method, path }: Route = ROUTES[name];
    const place = path.replaceAll(/:\w+/g, 'unknown');
    const response = await fetch(`${url}${place}`, {
      method,
      headers: {
        ...caller,
        ...(method === 'GET' ? {} : JSON_TYPE),
      },
      ...(method === 'GET' ? {} : { body: '{"nonsense": true}' }),
    });
    const text = await response.text();
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
    return {
      status: response.status,
      ...(isProblem ? { code: (JSON.parse(text) as { code: string }).code } : {}),
    };
  }

  it.each(names)('%s is allowed for exactly the right roles', async (name) => {
    for (const role of roles) {
      for (const by of [bearer, cookie]) {
        const { status, code } = await call(name, await by(tokens[role]));
        const about = [role, by.name];
        if (may(role, name)) expect([...about, status === 401 || status === 403]).toEqual([...about, false]);
        else expect([...about, status, code]).toEqual([...about, 403, 'auth/role']);
      }
    }
  });

  it.each(names.filter((name) => !FOR_ANYONE.includes(name)))(
    '%s needs a valid token or session',
    async (name) => {
      expect(await call(name)).toEqual({ status: 401, code: 'auth/missing' });
      const [head, id] = tokens.admin.split('_');
      const wrong = [
        'rubbish',
        `${head}_${id}_${'A'.repeat(43)}`,
        `woof_0123456789_${tokens.admin.slice(-43)}`,
      ];
      const good = await cookie(tokens.admin);
      const refused = { status: 401, code: 'auth/wrong' };
      for (const token of wrong) {
        expect(await call(name, bearer(token))).toEqual(refused);
        expect(await call(name, { ...good, ...bearer(token) })).toEqual(refused);
      }
      expect(await call(name, { ...good, cookie: `__Host-woof=${'A'.repeat(43)}` })).toEqual(refused);
    },
  );
});

const JSON_TYPE = { 'content-type': 'application/json' };
