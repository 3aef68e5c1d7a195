/** Entries of the keychain as credentials of a real database, by name and by template. */
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { lastJson, playbook, runWoof, temporaryFolder } from '../cli/woof.ts';

const TASKS = `- step: start
  tool:
    - by_name: {kind: postgres, auth: pg, query: "SELECT 1 + 1 AS two"}
    - by_template: {kind: postgres, auth: "{{ keychain.pg }}", query: "SELECT current_user AS me"}
    - by_value: {kind: postgres, auth: "{{ keychain.dsn }}", query: "SELECT 3 AS three"}
    - by_url: {kind: postgres, auth: {url: "{{ keychain.dsn.value }}"}, query: "SELECT 3 AS three"}
    - wrong:
        kind: postgres
        auth: {host: "{{ keychain.pg.host }}", port: "{{ keychain.pg.port }}", user: woof, password: no, database: postgres}
        query: "SELECT 1"
        spec: {policy: {rules: [{else: {then: {do: continue}}}]}}
    - by_data:
        kind: postgres
        auth: "{{ workload.which }}"
        query: "SELECT 4 AS four"
        spec: {policy: {rules: [{else: {then: {do: continue, set_ctx: {refused: "{{ outcome.error }}"}}}}]}}
    - by_wrong_name:
        kind: postgres
        auth: archive
        query: "SELECT 5 AS five"
        spec: {policy: {rules: [{else: {then: {do: continue, set_ctx: {unknown: "{{ outcome.error.message }}"}}}}]}}
    - all: {kind: noop, result: "{{ [by_name.rows, by_template.rows, by_value.rows, by_url.rows, ctx.refused.kind, ctx.refused.message, ctx.unknown] }}"}
`;

describeUnless(postgresReason())('postgres_credential', () => {
  test('opens the database, and its password is shown nowhere', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.dispose());
    const { hostname, port, username, password } = new URL(postgres.url());
    const keychain =
      'keychain: [{name: pg, kind: postgres_credential}, {name: dsn, kind: environment, variable: DSN}]\nworkload: {which: none}\n';
    const cwd = temporaryFolder({ 'a.yaml': playbook(TASKS, keychain) });
    const fields = ['host', 'port', 'user', 'password', 'database'];
    const input = [hostname, port, username, password, 'postgres'].join('\n');
    await runWoof(['secret', 'set', 'pg', ...fields, '--stdin'], { cwd, input });
    const ran = await runWoof(['run', 'a.yaml', '--json', '--set', 'which=pg'], {
      cwd,
      env: { DSN: postgres.url() },
    });
    expect(ran, ran.stderr).toMatchObject({ status: 0 });
    expect(lastJson(ran).steps.start?.result).toEqual([
      [{ two: 2 }],
      [{ me: 'woof' }],
      [{ three: 3 }],
      [{ three: 3 }],
      'auth',
      expect.stringMatching(/keychain entry "pg".*data must not choose secrets/),
      expect.stringMatching(
        /`auth: archive` names .*\(it has: pg, dsn\).*add to its keychain: - \{name: archive, kind: postgres_credential\}; then set it: woof secret set archive host port user password database$/,
      ),
    ]);
    const events = await runWoof(['events', 'last', '--json'], { cwd });
    expect(events.stdout).toContain('"auth"');
    expect(events.stdout + ran.stdout + ran.stderr).not.toContain(password);
  });
});
