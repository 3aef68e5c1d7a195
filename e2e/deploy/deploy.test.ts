/**
 * The files of `deploy/`, as far as they can be judged without a registry or a cluster: they are well-formed, say only
 * options that Woof has, give nothing away, and run as nobody in particular.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itUnless } from '@woof/testkit';
import { expect, test } from 'vitest';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { runWoof } from '../cli/woof.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8');
const UNITS = readdirSync(join(DEPLOY, 'systemd'));
const TEMPLATES = ['server', 'worker'].map((name) => `helm/woof/templates/${name}.yaml`);

/** What the templates of the chart use of Helm's language: a value by its path, and `quote`. */
function render(template: string): string {
  const values = { Values: parseYaml(read('helm/woof/values.yaml')), Release: { Name: 'try' } };
  return template.replaceAll(/\{\{ \.([\w.]+)( \| quote)? \}\}/g, (_, path: string, quote?: string) => {
    const value = path
      .split('.')
      .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], values);
    if (value === undefined) throw new Error(`values.yaml has no ${path}`);
    return quote ? JSON.stringify(String(value)) : String(value);
  });
}

const objects = () =>
  TEMPLATES.flatMap((path) => parseAllDocuments(render(read(path))).map((document) => document.toJS()));
const composed = () => parseYaml(read('compose.yaml'), { merge: true });

/** Of a command of Woof, those that start with a dash. */
const optionsOf = (words: string[]) => words.filter((word) => word.startsWith('--'));

/** Every command line of Woof in these files, as words. */
function commands(): string[][] {
  const fromUnits = UNITS.map((unit) =>
    /^ExecStart=\S+ (.*)$/m.exec(read(`systemd/${unit}`))![1]!.split(' '),
  );
  const { services } = composed();
  const image = JSON.parse(/^CMD (\[.*\])$/m.exec(read('Dockerfile'))![1]!);
  const pods = objects().filter(({ kind }) => kind === 'Deployment');
  const fromPods = pods.map(({ spec }) => spec.template.spec.containers[0].args);
  return [...fromUnits, services.server.command, services.worker.command, image, ...fromPods];
}

test('they use only options that the command has', async () => {
  const help: Record<string, string> = {};
  for (const verb of ['server', 'worker'])
    help[verb] = (await runWoof([verb, '--help'], { cwd: DEPLOY })).stdout;
  for (const [verb, ...words] of commands())
    for (const option of optionsOf(words)) expect(help[verb!], `${verb} ${option}`).toContain(`  ${option} `);
  expect(commands()).toHaveLength(7);
});

test('the image, the services and the pods run without root and without privileges', () => {
  const steps = read('Dockerfile').split(/^FROM /m);
  expect(steps.at(-1)).toMatch(/^USER 10001:10001$/m);
  expect(steps.at(-1)).toMatch(/^HEALTHCHECK /m);
  expect(steps).toHaveLength(3);
  const { server, worker } = composed().services;
  for (const service of [server, worker])
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  for (const { kind, spec } of objects().filter(({ kind }) => kind === 'Deployment')) {
    const pod = spec.template.spec;
    expect(pod, kind).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
      containers: [{ securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true } }],
    });
  }
});

test('only loopback reaches the published port, and secrets come from outside the files', () => {
  const { postgres, server, worker } = composed().services;
  expect(server.ports).toEqual(['127.0.0.1:9663:9663']);
  expect([postgres.ports, worker.ports]).toEqual([undefined, undefined]);
  expect(server.environment.WOOF_SECRET_KEY).toMatch(/^\$\{WOOF_SECRET_KEY:\?/);
  expect(read('env.example').match(/^\w+=.+$/m)).toBeNull();
  for (const { spec } of objects().filter(({ kind }) => kind === 'Deployment'))
    for (const { name, value } of spec.template.spec.containers[0].env)
      expect(value === undefined || name === 'WOOF_SERVER', name).toBe(true);
});

test('compose runs two workers, and the selectors of the chart find their pods', () => {
  expect(composed().services.worker.deploy.replicas).toBe(2);
  for (const { spec } of objects().filter(({ kind }) => kind === 'Deployment'))
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
  const service = objects().find(({ kind }) => kind === 'Service')!;
  const pods = objects().find(({ metadata }) => metadata.name === service.metadata.name)!;
  expect(pods.spec.template.metadata.labels).toMatchObject(service.spec.selector);
});

const noSystemd =
  spawnSync('systemd-analyze', ['--version']).status === 0 ? undefined : 'systemd-analyze is not installed';

itUnless(noSystemd)('systemd finds nothing wrong with the units, and does with a wrong one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-units-'));
  const verify = (name: string, text: string) => {
    const path = join(folder, name.replace('@', '@1'));
    writeFileSync(path, text.replace('/usr/local/bin/woof', '/bin/true'));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    });
    return { status, said: stderr.split('\n').filter((line) => line.includes(folder)) };
  };
  for (const unit of UNITS) expect(verify(unit, read(`systemd/${unit}`)).said, unit).toEqual([]);
  const wrong = read(`systemd/${UNITS[0]}`).replace('Restart=', 'Restrat=');
  expect(verify('wrong.service', wrong).said.join()).toContain('Restrat');
  rmSync(folder, { recursive: true });
});
