import { describe, expect, test } from 'vitest';
import { toolSchemas } from '../fixtures/tool-schemas.ts';
import { readDocument } from '../index.ts';

const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: x}\n';

/** The output of lint, one line per diagnostic. */
function said(body: string): string[] {
  const { diagnostics } = readDocument(head + body, { kinds: toolSchemas });
  return diagnostics.map(({ code, message, hint }) => `${code}: ${message}; ${hint ?? ''}`);
}

const saidOfStep = (step: string) => said(`workflow:\n  - {step: start, ${step}}\n`).join('\n');
const ruled = (rules: string) => saidOfStep(`tool: {kind: noop, spec: {policy: {rules: [${rules}]}}}`);

describe('names of templates', () => {
  test('`output` in a rule is `outcome`', () => {
    const rules = `{when: "{{ output.status == 'error' }}", then: {do: fail}}, {else: {then: {do: continue}}}`;
    expect(ruled(rules)).toBe('playbook/unknown-name: "output" is not defined here; did you mean "outcome"?');
  });

  test('`output` in an arc names what an arc reads', () => {
    const text = saidOfStep('tool: {kind: noop}, next: {arcs: [{step: start, when: "{{ output.n }}"}]}');
    expect(text).toContain(
      'did you mean "outcome"? You can read outcome in the rules of tasks (an arc reads',
    );
  });

  test('`null` is `none`, as a value and as a test', () => {
    expect(saidOfStep('tool: {kind: noop, result: "{{ workload.a == null }}"}')).toContain(
      '"null" is not defined here; did you mean "none"?',
    );
    expect(saidOfStep('tool: {kind: noop, result: "{{ workload.a is null }}"}')).toContain(
      'there is no test "null"; did you mean "none"?',
    );
  });

  test('names of other tools are names like any other if the document defines them', () => {
    const use = 'tool: {kind: noop, result: "{{ output }} {{ null | default(1) }}"}';
    expect(said(`workload: {output: 1}\nworkflow:\n  - {step: start, ${use}}\n`)).toEqual([]);
  });

  test('an iterator has no value after its loop', () => {
    const loop = 'loop: {in: [1], iterator: user}, tool: {kind: noop, result: "{{ user }}"}';
    expect(saidOfStep(`${loop}, next: {arcs: [{step: start, when: "{{ user == 2 }}"}]}`)).toBe(
      'playbook/unreadable-name: `user` has no value here; you can read it in the tasks of step "start", whose loop binds it',
    );
    expect(
      said(`workload: {user: 1}\nworkflow:\n  - {step: start, ${loop}, set_ctx: {a: "{{ user }}"}}\n`),
    ).toEqual([]);
  });

  test('a misspelt label of an earlier step', () => {
    const tools = 'tool: [{fetch: {kind: noop}}, {last: {kind: noop}}]';
    const arcs = (path: string) => `next: {arcs: [{step: start, when: "{{ start.${path} == 7 }}"}]}`;
    expect(saidOfStep(`${tools}, ${arcs('results.fetcc.n')}`)).toBe(
      'playbook/unknown-name: start.results has no "fetcc"; did you mean "fetch"?',
    );
    for (const path of ['results.fetch.n', 'results.other', 'result', 'resluts'])
      expect(saidOfStep(`${tools}, ${arcs(path)}`)).toBe('');
  });

  test.each([
    ['a kind', 'tool: {kind: htpt, url: "{{ workload.n }}"}', 'playbook/unknown-kind'],
    [
      'an arc to no step',
      'tool: {kind: noop}, next: {arcs: [{step: edn, args: {a: 1}}]}',
      'playbook/unknown-step',
    ],
    ['a key', 'tool: {kind: noop}, set_ctxx: {a: 1}', 'playbook/unknown-key'],
    ['a field', 'tool: {kind: http}', 'playbook/missing-input'],
    [
      'a directive',
      'tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: stop}}}]}}}',
      'playbook/unknown-do',
    ],
    [
      'a collection',
      'loop: {in: 5, iterator: x}, tool: {kind: noop, result: "{{ x }} {{ loop.index }}"}',
      'playbook/loop-in',
    ],
  ])('are checked beside %s that is refused', (_what, step, code) => {
    const text = said(`workload: {count: 1}
workflow:
  - {step: start, ${step}}
  - {step: end, tool: {kind: noop, result: "{{ workload.cuont }} {{ wrokload }} {{ ctx.total }} {{ outcome.result }}"}}
`).filter((line) => !line.startsWith(code));
    expect(text.map((line) => line.split(';')[0])).toEqual([
      'playbook/unknown-name: workload has no "cuont"',
      'playbook/unknown-name: "wrokload" is not defined here',
      expect.stringContaining('total'),
      expect.stringMatching(/^playbook\/unreadable-name: .*outcome/),
    ]);
  });

  test.each([
    [
      'a key of a task of unknown kind',
      'tool: {kind: htpt, spec: {policy: {rules: [{else: {then: {do: fail, set_ctx: {total: 1}}}}]}}}',
    ],
    ['a misspelt set_ctx', 'tool: {kind: noop}, set_ctxx: {total: 1}'],
    ['a set_ctx that is not a map', 'tool: {kind: htpt}, set_ctx: "{{ workload }}"'],
    [
      'a rule that is refused',
      'tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: stop, set_ctx: {total: 1}}}}]}}}',
    ],
    [
      'a loop without an iterator',
      'loop: {in: [1]}, tool: {kind: noop, result: "{{ iter.item }} {{ loop.index }}"}',
    ],
    ['a step without a name', 'tool: {kind: htpt}}, {tool: {kind: noop}, set_ctx: {total: 1}'],
  ])('are not warned about if %s may define them', (_what, step) => {
    const text = said(
      `workflow: [{step: start, ${step}}, {step: end, tool: {kind: noop, result: "{{ ctx.total }}"}}]\n`,
    );
    expect(text).not.toEqual([]);
    expect(text.filter((line) => /-name: /.test(line))).toEqual([]);
  });

  test('are checked beside a template that cannot be compiled', () => {
    const text = said(`workload: {count: 1}
workflow:
  - {step: start, tool: {kind: noop, result: "{{ 1 | lenght }}"}, set_ctx: {a: "{{ wrokload.count }}"}}
`);
    expect(text).toHaveLength(2);
    expect(text[1]).toContain('did you mean "workload"?');
  });
});

describe('a condition in a place that has none', () => {
  const allow = '[{when: …, then: {allow: true}}]';
  const deny = '[{when: …, then: {allow: false}}, {else: {then: {allow: true}}}]';
  test.each([
    ['run_if', allow],
    ['skip_unless', allow],
    ['skip_if', deny],
    ['unless', deny],
    ['run_unless', deny],
  ])('%s on a step', (key, rules) => {
    expect(saidOfStep(`${key}: x, tool: {kind: noop}`)).toContain(`spec.policy.admit.rules: ${rules}`);
  });

  test.each([
    ['when', '"{{ not (…) }}"'],
    ['run_if', '"{{ not (…) }}"'],
    ['skip_if', '"{{ … }}"'],
    ['unless', '"{{ … }}"'],
  ])('%s on a task', (key, guard) => {
    expect(saidOfStep(`tool: {kind: noop, ${key}: x}`)).toContain(
      `[{when: ${guard}, then: {do: skip}}, {when: "{{ outcome.status == 'error' }}", then: {do: fail}}, {else: {then: {do: continue}}}]`,
    );
  });
});

describe('what to write instead', () => {
  test.each([
    ['input: {a: 1}, tool: {kind: noop}', 'write `args: {…}`'],
    ['tool: {kind: workbook, name: b, input: {a: 1}}', 'write `args: {…}`'],
    ['set: {a: 1}, tool: {kind: noop}', 'write `set_ctx: {name: …}`'],
    ['enabled: false, tool: {kind: noop}', 'spec.policy.admit.rules: [{else: {then: {allow: false}}}]'],
    ['tool: {kind: noop}, next: {arcs: [{step: start, cond: x}]}', 'write `when`'],
    ['tool: {kind: noop}, next: {arcs: [{step: start, set: {a: 1}}]}', 'on the step'],
    ['tool: {kind: python, code: x, auth: a}', 'args: {token: "{{ keychain.NAME }}"}'],
    ['tool: {kind: http, spec: {url: x}}', 'move it next to `kind`'],
    ['tool: {kind: noop}, next: {step: b}', 'woof upgrade'],
    ['tool: {kind: noop}, next: {to: b}', 'write `next: {arcs: [{step: …}]}`'],
    ['loop: {cursor: {kind: postgres}, iterator: r}, tool: {kind: noop}', 'write `in: "{{ STEP.rows }}"`'],
    ['loop: {in: [1], iterator: r, spec: {frame: {max_rows: 5}}}, tool: {kind: noop}', 'batch(50)'],
    [
      'tool: {kind: noop}, next: {spec: {on_no_match: quiet}, arcs: [{step: start}]}',
      'if no arc fires, the path ends',
    ],
    ['tool: {kind: python, code: x, assert: {returns: [a]}}', 'check the outcome of its tool'],
    ['tool: {kind: postgres, command: x, with: {a: 1}}', 'a map for `:name`'],
    ['tool: {kind: postgres, command: x, args: {a: 1}}', 'write `args` on the step'],
    ['command: x, tool: {kind: noop}', 'move it into `tool`, next to `kind`'],
    ['tool: {kind: noop, next: {arcs: [{step: start}]}}', 'move it to the step, next to `tool`'],
    ['tool: [{a: {kind: noop, loop: {in: [1], iterator: x}}}]', 'move it to the step, next to `tool`'],
    ['tool: {kind: noop, set_ctx: {a: 1}}', 'move it to the step, next to `tool`'],
    ['tool: {kind: noop}, frobnicate: 1', 'use one of "step", '],
    [
      'tool: {kind: noop, frobnicate: 1}',
      'use one of "result", "kind", "spec", or begin a key of your own with `x-`',
    ],
  ])('%s', (step, advice) => {
    expect(saidOfStep(step)).toContain(advice);
  });

  test('in rules', () => {
    const then = '{then: {do: continue, set_ctx: {name: …}}}';
    expect(ruled('{else: {set_ctx: {a: 1}}}')).toContain(`write \`else: ${then}\``);
    expect(ruled('{else: {set: {a: 1}}}')).toContain(`write \`else: ${then}\``);
    expect(ruled('{else: {then: {do: continue, set: {a: 1}}}}')).toContain('write `set_ctx: {name: …}`');
  });

  test('a delay that stays the same', () => {
    expect(ruled('{else: {then: {do: retry, attempts: 3, backoff: fixed}}}')).toContain('write "none"');
  });

  test.each([
    ['kind: oauth2, endpoint: "https://x"', 'write `token_url`'],
    ['kind: oauth2, token_url: "https://x", auto_renew: true', 'requests a new token before it expires'],
    ['kind: oauth2, token_url: "https://x", data: {client_id: a}', 'write `client_id`, `client_secret`'],
    ['kind: secret_manager, provider: gcp, map: {}', 'woof secret set api FIELD'],
    ['kind: google_id_token', 'woof secret set api FIELD'],
  ])('in a keychain: %s', (entry, advice) => {
    const keychain = `keychain: [{name: api, ${entry}}]\n`;
    expect(said(`${keychain}workflow: [{step: start, tool: {kind: noop}}]\n`).join('\n')).toContain(advice);
  });

  const executor = (text: string) =>
    said(`executor: {${text}}\nworkflow: [{step: start, tool: {kind: noop}}]\n`).join();

  test('what an executor may ask for', () => {
    expect(executor('profile: auto, requires: {tools: [http, python], features: [result_storage]}')).toBe('');
    expect(executor('requires: {tools: [htp]}')).toContain('no tool kind "htp"; did you mean "http"?');
    expect(executor('requires: {features: [time_travel]}')).toContain('use one of "result_storage"');
    expect(executor('spec: {no_next_is_error: false}')).toBe('');
    expect(executor('spec: {no_next_is_error: true}')).toContain('add an arc without `when`');
    expect(executor('spec: {policy: {defaults: {timeout_s: 3}}}')).toContain(
      'write defaults in `executor.spec`',
    );
    expect(executor('spec: {policy: {results: {reference_first: true}}}')).toContain('remove it');
  });

  test('a key that is a template', () => {
    expect(saidOfStep(`args: {"{{ 'a' }}": 1}, tool: {kind: noop}`)).toContain('name: "{{ {key: value} }}"');
  });
});

describe('auth by a template', () => {
  const playbook = (auth: string, keychain = '') =>
    said(`workload: {pg_auth: pg_local, url: "postgres://h/d"}
${keychain}workflow: [{step: start, tool: {kind: postgres, auth: "{{ ${auth} }}", command: select 1}}]
`);

  test.each(['workload.pg_auth', 'pg_auth'])('%s names an entry that is not declared', (auth) => {
    expect(playbook(auth)).toEqual([
      'playbook/unknown-secret: the template of `auth` renders as "pg_local", and the keychain has no entry "pg_local"; write `auth: pg_local`, add `keychain: [{name: pg_local, kind: postgres_credential}]` to the document, and run `woof secret set pg_local host port user password database`',
    ]);
  });

  test.each(['workload.pg_auth', 'pg_auth'])('%s names an entry', (auth) => {
    expect(playbook(auth, 'keychain: [{name: pg_local, kind: secret}]\n').join()).toContain(
      'write `auth: pg_local`',
    );
  });

  test('an address is not a name', () => {
    expect(playbook('workload.url')).toEqual([]);
  });

  test('the kind of a literal name is that of its tool', () => {
    const text = saidOfStep('tool: {kind: postgres, auth: pg_local, command: select 1}');
    expect(text).toContain('keychain: [{name: pg_local, kind: postgres_credential}]');
    expect(text).toContain('woof secret set pg_local host port user password database');
  });
});

describe('parts of other dialects', () => {
  const keychain = (entry: string) =>
    said(`keychain: [{${entry}}]\nworkflow: [{step: start, tool: {kind: noop}}]\n`).join('\n');
  const CLIENT =
    'use `python` or `container` with your own client library, or `http` if the service has an API';

  test.each([
    ['snowflake', CLIENT],
    ['gcs', CLIENT],
    [
      'ducklake',
      'use `duckdb`, which reads and writes Parquet files and DuckDB databases; for a DuckLake catalog, use `python` or `container` with your own client library',
    ],
    ['script', 'use `python` with script: {uri: …}, or `container` to run it in an image'],
    ['bash', 'use `shell`'],
  ])('the kind %s', (kind, instead) => {
    expect(saidOfStep(`tool: {kind: ${kind}}`)).toBe(
      `playbook/unknown-kind: no tool kind "${kind}"; ${instead}`,
    );
  });

  test('a kind that nobody knows', () => {
    expect(saidOfStep('tool: {kind: quux}')).toMatch(
      /the tool kinds are .*; for another service, use `python` or `container` with your own client library$/,
    );
  });

  test('entries of the keychain', () => {
    const hint = 'write `kind: secret`, and keep its fields in the store: woof secret set api FIELD';
    expect(keychain('name: api, kind: credential, credential: x')).toContain(
      `no keychain kind "credential"; ${hint}`,
    );
    expect(keychain('name: api, type: google_oauth')).toContain(
      'the keychain entry has no `kind`; add `kind: secret`, or another kind: "secret", ',
    );
  });

  test.each([
    [
      'a task of kind postgres',
      'tool: {kind: postgres, auth: a, command: SELECT 1, pool: {}}',
      'remove it: Woof pools connections itself',
    ],
    [
      'a task of kind http',
      'tool: {kind: http, url: "http://x", output_select: {strategy: size_threshold}}',
      'remove it: Woof stores large results by reference, and templates read the value',
    ],
  ])('a key of %s', (_what, step, instead) => {
    expect(saidOfStep(step)).toContain(`; ${instead}`);
  });

  test('keys of the root and of a workbook', () => {
    const workflow = 'workflow: [{step: start, tool: {kind: noop}}]\n';
    expect(said(`spec: {a: 1}\n${workflow}`).join()).toContain(
      'a playbook cannot have `spec`; put inputs in `workload`, and settings in `executor.spec`',
    );
    expect(
      said(`workbook: [{name: a, tool: {kind: noop}, assert: {returns: [x]}}]\n${workflow}`).join(),
    ).toContain('a workbook task cannot have `assert`; check the outcome of its tool in `spec.policy.rules`');
  });

  test('fields of a loop that other tools name differently', () => {
    const found = saidOfStep('loop: {over: [1], as: x}, tool: {kind: noop}');
    expect(found).toContain('a loop has no field "over"; did you mean "in"?');
    expect(found).toContain('a loop has no field "as"; did you mean "iterator"?');
  });

  test('a field under `spec` is misplaced, and not missing too', () => {
    expect(saidOfStep('tool: {kind: http, spec: {endpoint: "http://x"}}')).toBe(
      "playbook/foreign-key: a task's spec cannot have `endpoint`; move it next to `kind`",
    );
    expect(saidOfStep('tool: {kind: http, spec: {timeout: 5}}')).toContain('needs `url` or `endpoint`');
  });

  test('braces that are no template', () => {
    expect(saidOfStep('tool: {kind: python, code: "# all of {{ ctx.* }}"}')).toContain(
      'got "*"; correct the template, or write {% raw %}{{ … }}{% endraw %} to keep the braces as text',
    );
    expect(saidOfStep('tool: {kind: python, code: "# all of {% raw %}{{ ctx.* }}{% endraw %}"}')).toBe('');
  });
});
