/** House rules as a test: who may import whom, and no import cycles. Tests may import the test kit and any contract. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../..', import.meta.url));

/** Imports point towards `net`. A room imports only what its row names. */
const MAY_IMPORT: Record<string, string[]> = {
  expr: [],
  policy: [],
  net: ['expr'],
  documents: ['net', 'expr', 'policy', 'yaml', 'parse5', 'markdown-it', 'get-east-asian-width'],
  protocol: ['net', 'zod'],
  arrow: ['net'],
  stores: ['net', 'arrow', 'node', '@photostructure/sqlite', 'postgres'],
  engine: ['net', 'protocol', 'stores', 'node'],
  server: ['net', 'engine', 'protocol', 'stores', 'documents', 'workbook-runtime', 'fastify', 'zod', 'node'],
  // What runs inside a built page, and what builds one.
  'workbook-runtime': [],
  'workbook-page': [
    'net',
    'expr',
    'documents',
    'run-view',
    'workbook-runtime',
    'preact',
    'preact/hooks',
    'vega',
    'vega-interpreter',
  ],
  'workbook-build': [
    'net',
    'expr',
    'documents',
    'run-view',
    'workbook-page',
    'workbook-runtime',
    // The source of the Python driver, which live cells share.
    'kernels',
    'node',
    'rolldown',
    'rolldown/parseAst',
    'vega',
    'vega-lite',
    'pyodide',
  ],
  // The pages of a run and of Studio: they talk to a server only through its public calls.
  'run-view': ['net', 'documents', 'preact', 'preact/hooks'],
  studio: ['net', 'protocol', 'client', 'documents', 'run-view', 'preact', 'preact/hooks', '@preact/signals'],
  'docs-site': ['documents', 'workbook-page', 'node', 'minisearch'],
  client: ['net', 'protocol', 'stores', 'node'],
  sandbox: ['node'],
  kernels: ['net', 'expr', 'sandbox', 'node', 'vega', 'vega-lite'],
  tools: [
    'net',
    'arrow',
    'sandbox',
    // R tasks run in a kernel.
    'kernels',
    'policy',
    'node',
    'undici',
    'undici/lib/dispatcher/agent.js',
    'aws4fetch',
    'postgres',
    '@nats-io/transport-node',
    '@nats-io/jetstream',
    '@nats-io/kv',
    '@nats-io/obj',
  ],
  worker: ['net', 'arrow', 'expr', 'protocol', 'stores', 'tools', 'kernels', 'node'],
  cli: [
    'net',
    'expr',
    'policy',
    'documents',
    'stores',
    'protocol',
    'client',
    'server',
    'engine',
    'sandbox',
    'tools',
    'worker',
    'kernels',
    'run-view',
    'workbook-build',
    'workbook-page',
    'node',
    'yaml',
  ],
  // The simulator runs the real engine and worker.
  testkit: ['net', 'expr', 'protocol', 'stores', 'engine', 'tools', 'worker', 'node', 'fast-check', 'vitest'],
};

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesOf(path);
    return /\.tsx?$/.test(entry.name) && !/\.(test|bench)\.ts$/.test(entry.name) ? [path] : [];
  });
}

interface Import {
  from: string;
  specifier: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  // Programs in other languages are in template literals; their imports do not count.
  const text = readFileSync(file, 'utf8').replaceAll(/`(?:\\.|[^`\\])*`/gs, '``');
  const pattern =
    /^(?:import|export)\s(type\s)?[^'"`;]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    from: file,
    specifier: (match[2] ?? match[3] ?? match[4])!,
    typeOnly: match[1] !== undefined,
  }));
}

const rooms = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'package.json')));
/** Files that only tests load: contract suites that live beside their contract. */
const isTestSupport = (file: string) =>
  /\/(exercise-[^/]+|attempt|fixtures\/.*|differential\/.*)$/.test(file.replace(/\.ts$/, ''));

function targetOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node';
  if (specifier.startsWith('@woof/')) return specifier.split('/')[1]!;
  return specifier;
}

/** A file of the room, by its path or by a name of its package.json. */
const isOwn = (specifier: string) => /^[.#]/.test(specifier);

describe('rooms', () => {
  it('every room has a row', () => {
    expect(rooms.filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it.each(rooms)('%s imports only what its row names', (room) => {
    const files = filesOf(join(packages, room, 'src')).filter((file) => !isTestSupport(file));
    const bad = files
      .flatMap(importsOf)
      .filter(({ specifier }) => !isOwn(specifier))
      .filter(({ specifier }) => !MAY_IMPORT[room]!.includes(targetOf(specifier)))
      .map(({ from, specifier }) => `${relative(packages, from)} → ${specifier}`);
    expect(bad).toEqual([]);
  });

  it.each(rooms)('%s lists every room that it imports in its package.json', (room) => {
    const { dependencies } = JSON.parse(readFileSync(join(packages, room, 'package.json'), 'utf8'));
    const imported = filesOf(join(packages, room, 'src'))
      .filter((file) => !isTestSupport(file))
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith('@woof/'))
      .map(({ specifier }) => specifier.split('/').slice(0, 2).join('/'));
    expect([...new Set(imported)].filter((name) => !(name in (dependencies ?? {})))).toEqual([]);
  });

  it.each(rooms)('%s reaches no other room by a relative path', (room) => {
    const folder = join(packages, room);
    const bad = filesOf(join(folder, 'src'))
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .filter(({ from, specifier }) => !resolve(dirname(from), specifier).startsWith(folder));
    expect(bad).toEqual([]);
  });

  it('only the chart renderer loads Vega', () => {
    const users = filesOf(join(packages, 'kernels', 'src'))
      .flatMap(importsOf)
      .filter(({ specifier }) => /^vega(-lite)?$|vega-renderer/.test(specifier))
      .map(({ from }) => relative(packages, from));
    expect([...new Set(users)]).toEqual(['kernels/src/vega/vega-renderer.ts']);
  });

  it('no file imports itself through other files', () => {
    const graph = new Map<string, string[]>();
    for (const room of rooms) {
      for (const file of filesOf(join(packages, room, 'src'))) {
        const next = importsOf(file).filter(
          ({ specifier, typeOnly }) => specifier.startsWith('.') && !typeOnly,
        );
        graph.set(
          file,
          next.map(({ specifier }) => resolve(dirname(file), specifier)),
        );
      }
    }
    expect(cyclesOf(graph).map((cycle) => cycle.map((file) => relative(packages, file)).join(' → '))).toEqual(
      [],
    );
  });
});

function cyclesOf(graph: Map<string, string[]>): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file)) {
      cycles.push([...trail.slice(trail.indexOf(file)), file]);
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
