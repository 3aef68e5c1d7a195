/** The eight acceptance tests of the canonical v10 brief (§13), by name, through the real binary. */
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder, serve, type TestServer } from './run-playbook.ts';

let folder: Folder;
const servers: TestServer[] = [];

beforeEach(() => {
  folder = new Folder();
});
afterEach(async () => {
  folder.dispose();
  for (const server of servers.splice(0)) await server.close();
});

async function serving(handler: Parameters<typeof serve>[0]): Promise<TestServer> {
  const server = await serve(handler);
  servers.push(server);
  return server;
}

describe('1 policy validation', () => {
  const withPolicy = (policy: string) => `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: test}
workflow:
  - step: start
    tool:
      - call:
          kind: noop
          spec:
            policy: ${policy}
`;
  const codes = async (policy: string) => {
    const { code, stdout } = await folder.woof('lint', folder.write('p.yaml', withPolicy(policy)), '--json');
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; severity: string; line: number }[];
    };
    return { code, errors: diagnostics.filter((diagnostic) => diagnostic.severity === 'error') };
  };

  it('accepts an object with rules', async () => {
    expect(await codes('{rules: [{else: {then: {do: continue}}}]}')).toEqual({ code: 0, errors: [] });
  });

  it('rejects a policy that is not an object', async () => {
    const { code, errors } = await codes('[{when: "{{ true }}", then: {do: continue}}]');
    expect(code).toBe(1);
    expect(errors[0]!.line).toBe(10);
  });

  it('rejects a rule without then.do', async () => {
    expect((await codes('{rules: [{when: "{{ true }}", then: {attempts: 3}}]}')).code).toBe(1);
    expect((await codes('{rules: [{else: {}}]}')).code).toBe(1);
  });

  it('a document that is invalid is not run: exit status 2', async () => {
    const { code, stderr } = await folder.woof('run', folder.write('p.yaml', withPolicy('[]')));
    expect(code).toBe(2);
    expect(stderr).toMatch(/p\.yaml:10:/);
  });
});

describe('2 retry', () => {
  const retrying = (url: string) => `
workflow:
  - step: start
    tool:
      - call:
          kind: http
          url: ${url}/thing
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' and outcome.http.status >= 500 }}"
                  then: {do: retry, attempts: 4, backoff: exponential, delay: 0.01}
                - when: "{{ outcome.status == 'error' }}"
                  then: {do: fail}
                - else:
                    then: {do: continue}
`;

  it('a transient HTTP 500 retries N times, the first included, then fails', async () => {
    const server = await serving(() => ({ status: 500, json: { no: 'luck' } }));
    const run = await folder.run(retrying(server.url));
    expect(run.code).toBe(1);
    expect(run.status).toBe('failed');
    expect(server.requests).toHaveLength(4);
    expect(run.steps.start!.error).toMatchObject({
      kind: 'server_error',
      http_status: 500,
      task: 'call',
      attempts: 4,
    });
  });

  it('succeeds as soon as the server recovers', async () => {
    let count = 0;
    const server = await serving(() => (++count < 3 ? { status: 503 } : { json: { ok: true } }));
    const run = await folder.run(retrying(server.url));
    expect(run.code).toBe(0);
    expect(server.requests).toHaveLength(3);
    const attempts = (await folder.events(run.execution_id)).filter((event) => event.name === 'task.done');
    expect(attempts.map((event) => event.attempt)).toEqual([1, 2, 3]);
  });
});

describe('3 jump routing', () => {
  const routed = (url: string) => `
workflow:
  - step: start
    tool:
      - fetch:
          kind: http
          url: ${url}
          spec:
            policy:
              rules:
                - when: "{{ outcome.http.status == 404 }}"
                  then: {do: jump, to: store_404}
                - when: "{{ outcome.http.status == 200 }}"
                  then: {do: jump, to: store_200}
                - else:
                    then: {do: fail}
      - store_200:
          kind: noop
          result: {stored: "200", body: "{{ _prev.data.body }}"}
          spec: {policy: {rules: [{else: {then: {do: break}}}]}}
      - store_404:
          kind: noop
          result: {stored: "404"}
`;

  it('404 → store_404, 200 → store_200', async () => {
    const found = await serving(() => ({ json: { body: 'hello' } }));
    const missing = await serving(() => ({ status: 404 }));
    expect((await folder.run(routed(found.url))).steps.start!.result).toEqual({
      stored: '200',
      body: 'hello',
    });
    expect((await folder.run(routed(missing.url))).steps.start!.result).toEqual({ stored: '404' });
  });
});

const PAGED_TASKS = (url: string, query: string) => `
      - fetch_page:
          kind: http
          url: "${url}/rooms?page={{ iter.page | default(1) }}${query}"
      - keep:
          kind: noop
          result: "{{ (iter.rooms | default([])) + _prev.data.rooms }}"
          spec:
            policy:
              rules:
                - when: "{{ fetch_page.data.has_more }}"
                  then:
                    do: jump
                    to: fetch_page
                    set_iter: {page: "{{ (iter.page | default(1)) + 1 }}", rooms: "{{ outcome.result }}"}
                - else:
                    then: {do: break}
`;

const page = (url: string, pages: number) => {
  const number = Number(new URL(url, 'http://x').searchParams.get('page'));
  return { json: { rooms: [number * 10, number * 10 + 1], has_more: number < pages } };
};

describe('4 streaming pagination', () => {
  it('has_more jumps back; it ends with break', async () => {
    const server = await serving((request) => page(request.url!, 4));
    const run = await folder.run(`
workflow:
  - step: start
    tool:${PAGED_TASKS(server.url, '')}`);
    expect(run.steps.start!.result).toEqual([10, 11, 20, 21, 30, 31, 40, 41]);
    expect(server.requests).toEqual([1, 2, 3, 4].map((number) => `GET /rooms?page=${number}`));
  });
});

describe('5 parallel loop', () => {
  it('max_in_flight is enforced; iter is isolated', async () => {
    const waiting: (() => void)[] = [];
    // Answers when as many wait as may be in flight.
    const slow = createServer((request, response) => {
      waiting.push(() => response.end(request.url));
      if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { port } = slow.address() as { port: number };
    const run = await folder.run(`
workload: {items: [a, b, c, d, e, f, g, h, i, j, k, l]}
workflow:
  - step: start
    loop:
      in: "{{ workload.items }}"
      iterator: item
      spec: {mode: parallel, max_in_flight: 3}
    tool:
      - call:
          kind: http
          url: "http://127.0.0.1:${port}/{{ iter.item }}"
          spec: {policy: {rules: [{else: {then: {do: continue, set_iter: {mine: "{{ iter.item ~ iter.index }}"}}}}]}}
      - out: {kind: noop, result: "{{ iter.mine }}:{{ item }}:{{ _prev.data }}"}
`);
    slow.close();
    expect(run.code).toBe(0);
    let now = 0;
    const inFlight = (await folder.events(run.execution_id)).map(({ name }) => {
      if (name === 'loop.iteration.started') now += 1;
      if (name === 'loop.iteration.done') now -= 1;
      return now;
    });
    expect(Math.max(...inFlight)).toBe(3);
    const { results, stats } = run.steps.start!.result as { results: string[]; stats: unknown };
    expect(results).toEqual([...'abcdefghijkl'].map((item, index) => `${item}${index}:${item}:/${item}`));
    expect(stats).toEqual({ total: 12, succeeded: 12, failed: 0 });
  });
});

describe('6 nested loops', () => {
  it('outer parallel; inner sequential pagination per item; iter.parent works', async () => {
    const server = await serving((request) => page(request.url!, 2));
    const run = await folder.run(`
workload:
  cities:
    - {name: Rome, hotels: [h1, h2]}
    - {name: Oslo, hotels: [h3]}
workflow:
  - step: start
    loop:
      in: "{{ workload.cities }}"
      iterator: city
      spec: {mode: parallel, max_in_flight: 2}
      loop:
        in: "{{ iter.city.hotels }}"
        iterator: hotel
    tool:${PAGED_TASKS(server.url, '&city={{ iter.parent.city.name }}&hotel={{ iter.hotel }}')}
      - never: {kind: noop}
`);
    expect(run.code).toBe(0);
    const rooms = [10, 11, 20, 21];
    const inner = (count: number) => ({
      results: Array.from({ length: count }, () => rooms),
      stats: { total: count, succeeded: count, failed: 0 },
    });
    expect(run.steps.start!.result).toMatchObject({ results: [inner(2), inner(1)] });
    expect(server.requests.filter((request) => request.includes('city=Rome'))).toEqual([
      'GET /rooms?page=1&city=Rome&hotel=h1',
      'GET /rooms?page=2&city=Rome&hotel=h1',
      'GET /rooms?page=1&city=Rome&hotel=h2',
      'GET /rooms?page=2&city=Rome&hotel=h2',
    ]);
  });
});

describe('7 next routing', () => {
  const forked = (mode: string) => `
workflow:
  - step: start
    tool: {kind: noop, result: {n: 5}}
    next:
      spec: {mode: ${mode}}
      arcs:
        - {step: big, when: "{{ start.n > 3 }}", args: {from: "{{ start.n }}"}}
        - {step: small, when: "{{ start.n < 3 }}"}
        - {step: always}
  - {step: big, tool: {kind: noop, result: "{{ args.from }}"}}
  - {step: small, tool: {kind: noop}}
  - {step: always, tool: {kind: noop}}
`;
  const fired = async (mode: string) => {
    const { steps } = await folder.run(forked(mode));
    return Object.keys(steps).filter((name) => steps[name]!.status === 'succeeded');
  };

  it('exclusive: the first match; inclusive: all', async () => {
    expect(await fired('exclusive')).toEqual(['start', 'big']);
    expect(await fired('inclusive')).toEqual(['start', 'big', 'always']);
  });

  it('arc args reach the step', async () => {
    expect((await folder.run(forked('exclusive'))).steps.big!.result).toBe(5);
  });
});

describe('8 result references', () => {
  it('events stay under the limit; large results are stored outside and can be loaded', async () => {
    const server = await serving(() => ({
      json: { rows: Array.from({ length: 5000 }, (_, n) => ({ n, text: 'row of text' })) },
    }));
    const run = await folder.run(`
workflow:
  - step: start
    tool: {kind: http, url: "${server.url}"}
    next: {arcs: [{step: use}]}
  - step: use
    tool: {kind: noop, result: "{{ start.data.rows | length }}"}
`);
    expect(run.steps.use!.result).toBe(5000);
    expect(run.steps.start!.result).toMatchObject({
      store: expect.any(String),
      key: expect.any(String),
      checksum: expect.stringMatching(/^sha256:/),
      size: expect.any(Number),
    });
    const sizes = (await folder.events(run.execution_id)).map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
    const loaded = await folder.woof('result', run.execution_id, 'start', '--json');
    expect(JSON.parse(loaded.stdout).data.rows).toHaveLength(5000);
  });
});
