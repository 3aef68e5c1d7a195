import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@woof/net';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { KernelCase, whyNoSandbox } from '../kernel-case.ts';
import { VEGA } from '../runtime-of.ts';
import { type ChartEnd, type ChartRequest, renderChart } from './render-chart.ts';

const reason = await whyNoSandbox();
const renderer = fileURLToPath(new URL('../../../../dist/vega/renderer.js', import.meta.url));

const values = [
  { day: '2024-01-01', rain: 3, city: 'Oslo' },
  { day: '2024-01-02', rain: 8, city: 'Bergen' },
  { day: '2024-01-03', rain: 5, city: 'Tromsø' },
];
const BAR: JsonObject = {
  data: { values },
  mark: 'bar',
  encoding: { x: { field: 'city', type: 'nominal' }, y: { field: 'rain', type: 'quantitative' } },
};
const LINE: JsonObject = {
  data: { values },
  mark: 'line',
  encoding: { x: { field: 'day', type: 'temporal' }, y: { field: 'rain', type: 'quantitative' } },
};
/** Requests the URL of a picture that an expression computes, which no inspection of the specification finds. */
const HIDDEN_URL: JsonObject = {
  data: [{ name: 't', values: [1] }],
  marks: [
    { type: 'image', from: { data: 't' }, encode: { enter: { url: { signal: '"ht" + "tp://x/y.png"' } } } },
  ],
};

/** Replaces the renderer, and reports what it reached. */
const HOSTILE = `
const fs = require('fs'), { connect } = require('net');
const attempts = {
  file: () => fs.readFileSync('SECRET'),
  folder: () => fs.readFileSync('data.txt'),
  program: () => require('child_process').execFileSync('/bin/true'),
  network: () => new Promise((ok, no) => connect(PORT, '127.0.0.1').on('connect', ok).on('error', no)),
};
async function render() {
  const reached = [];
  for (const [name, attempt] of Object.entries(attempts)) try { await attempt(); reached.push(name); } catch {}
  return { svg: reached.join(' '), warnings: [] };
}
globalThis.woofChart = { render };`;

describeUnless(reason)('a chart', () => {
  const place = new KernelCase();
  afterAll(() => place.remove());

  const draw = (spec: JsonObject, more: Partial<ChartRequest> = {}): Promise<ChartEnd> =>
    renderChart({
      ...{ spec, kind: 'vega-lite', renderer, workdir: place.workdir, sandbox: true },
      signal: new AbortController().signal,
      ...more,
    });

  async function fails(spec: JsonObject, ename: string, evalue: RegExp, more: Partial<ChartRequest> = {}) {
    const { error, svg, status } = await draw(spec, more);
    expect(svg).toBeUndefined();
    expect(status).not.toBe('ok');
    expect(error).toMatchObject({ output_type: 'error', ename });
    expect(error?.evalue).toMatch(evalue);
  }

  it('of bars has one bar per record, and text unchanged', async () => {
    const { status, svg = '', warnings } = await draw(BAR);
    expect([status, warnings]).toEqual(['ok', []]);
    expect(svg).toMatch(/^<svg [^>]*viewBox=.*<\/svg>$/s);
    expect(svg.match(/aria-roledescription="bar"/g)).toHaveLength(3);
    expect(svg).toContain('Tromsø');
  });

  it('of a line has one path, in the order of time', async () => {
    const { svg = '' } = await draw(LINE);
    const [, path = ''] = /aria-roledescription="line mark"[^>]* d="([^"]+)"/.exec(svg) ?? [];
    const xs = [...path.matchAll(/[ML]([\d.]+),/g)].map((match) => Number(match[1]));
    expect(xs).toEqual([0, 100, 200]);
  });

  it('written in Vega itself is drawn, and is the same every time, including random values', async () => {
    const spec: JsonObject = {
      ...{ width: 50, height: 50 },
      data: [{ name: 't', transform: [{ type: 'sequence', start: 0, stop: 5 }] }],
      marks: [{ type: 'symbol', from: { data: 't' }, encode: { enter: { x: { signal: 'random() * 50' } } } }],
    };
    const [first, second] = [await draw(spec, { kind: 'vega' }), await draw(spec, { kind: 'vega' })];
    expect(first.svg?.match(/<path/g)?.length).toBeGreaterThanOrEqual(5);
    expect(second.svg).toBe(first.svg);
  });

  it('passes on warnings', async () => {
    const encoding = { ...(BAR.encoding as JsonObject), shape: { field: 'city', type: 'nominal' } };
    const { status, warnings } = await draw({ ...BAR, encoding });
    expect(status).toBe('ok');
    expect(warnings.join()).toMatch(/shape dropped/);
  });

  it('reaches no file, program or network, whatever the renderer can be made to do', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hostile = join(place.root, 'hostile.js');
    const text = HOSTILE.replaceAll('SECRET', join(place.root, 'secret')).replaceAll('PORT', String(port));
    writeFileSync(hostile, text);
    const reached = async (sandbox: boolean) => (await draw(BAR, { renderer: hostile, sandbox })).svg;
    expect(await reached(true)).toBe('');
    expect(await reached(false)).toBe('file folder program network');
    server.close();
  });

  it.each<[string, JsonObject, ChartRequest['kind']]>([
    ['data by url', { ...BAR, data: { url: 'http://127.0.0.1/x.json' } }, 'vega-lite'],
    ['data by path', { ...BAR, data: { url: '/etc/passwd', format: { type: 'csv' } } }, 'vega-lite'],
    ['a picture by url', { ...BAR, mark: { type: 'image', url: 'https://127.0.0.1/x.png' } }, 'vega-lite'],
    ['a url that an expression makes', HIDDEN_URL, 'vega'],
  ])('refuses %s', async (_, spec, kind) => {
    await fails(spec, 'PolicyError', /cannot load data/, { kind });
    await fails(spec, 'PolicyError', /cannot load data/, { kind, sandbox: false });
  });

  it.each<[string, JsonObject, RegExp]>([
    ['no mark', {}, /Invalid specification/],
    ['an unknown mark', { ...BAR, mark: 'barr' }, /unknown mark "barr"; expected one of arc, area, bar/],
    [
      'a broken expression',
      { ...BAR, transform: [{ calculate: 'datum.rain +', as: 'x' }] },
      /Unexpected end/,
    ],
    [
      'an unknown function',
      { ...BAR, transform: [{ calculate: 'f(1)', as: 'x' }] },
      /Unrecognized function: f/,
    ],
  ])('says what is wrong with %s', async (_, spec, evalue) => {
    await fails(spec, 'ChartError', evalue);
  });

  const LONG: JsonObject = {
    data: [
      {
        name: 't',
        transform: [
          { type: 'sequence', start: 0, stop: 1e6 },
          { type: 'formula', as: 'x', expr: 'length(sequence(1e6))' },
        ],
      },
    ],
    marks: [],
  };

  it('that takes too long is ended', async () => {
    await fails(LONG, 'TimeoutError', /timeout of 1 s/, { kind: 'vega', timeoutMs: 1000 });
  });

  it('that is no longer wanted is ended', async () => {
    const signal = AbortSignal.timeout(500);
    await fails(LONG, 'KeyboardInterrupt', /cancelled/, { kind: 'vega', signal });
  });

  it('that takes too much memory is ended, with and without a sandbox', async () => {
    const spec = { ...BAR, data: { sequence: { start: 0, stop: 1e9 } } };
    for (const sandbox of [true, false])
      await fails(spec, 'MemoryError', /memory_mb=256/, { memoryMb: 256, sandbox });
  });

  it('gives the reason if there is nothing to draw with', async () => {
    await fails(BAR, 'RendererError', /ENOENT/, { renderer: join(place.root, 'none.js') });
    const broken = join(place.root, 'broken.js');
    writeFileSync(broken, 'throw new RangeError("odd")');
    await fails(BAR, 'RendererError', /ended with exit code 1: RangeError: odd/, { renderer: broken });
  });

  it('that is too large is refused', async () => {
    await fails({ ...BAR, description: 'x'.repeat(65 * 1024 * 1024) }, 'ChartError', /limit is 64 MiB/);
  });
});

it('the cache key contains the pinned versions', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  expect(VEGA).toBe(`vega ${dependencies.vega}, vega-lite ${dependencies['vega-lite']}`);
});
