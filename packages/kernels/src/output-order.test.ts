import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MarkSplitter } from './mark-splitter.ts';
import type { Message } from './message.ts';
import { toMessage } from './message.ts';
import { OutputOrder } from './output-order.ts';

const token = 'a'.repeat(32);
const sign = (mark: number) => `\x1e${token}${mark.toString(16).padStart(8, '0')}\x1e`;

describe('marks', () => {
  it('are found however the stream is split, and nothing else is lost', () => {
    const piece = fc.oneof(
      fc.constantFrom('\x1e', `\x1e${token}`.slice(0, 9), 'x', 'yz\n', `\x1e${'b'.repeat(40)}\x1e`),
      fc.nat(99),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(300)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.map((p) => (typeof p === 'number' ? sign(p) : p)).join(''));
        const splitter = new MarkSplitter();
        splitter.expect(token);
        const places = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
          bytes.length,
        ];
        const found = places.slice(1).flatMap((end, i) => splitter.split(bytes.subarray(places[i], end)));
        found.push(splitter.end());
        expect(joined(found)).toEqual(
          joined(pieces.map((p) => (typeof p === 'number' ? p : Buffer.from(p)))),
        );
      }),
    );
  });
});

function joined(pieces: (Buffer | number)[]): (string | number)[] {
  const all: (string | number)[] = [''];
  for (const piece of pieces) {
    if (typeof piece === 'number') all.push(piece, '');
    else all.push(`${all.pop()}${piece.toString('latin1')}`);
  }
  return all;
}

describe('the order of outputs', () => {
  function follow() {
    const seen: string[] = [];
    const paused = { stdout: false, stderr: false };
    const order = new OutputOrder({
      bytes: (stream, bytes) => void seen.push(`${stream} ${bytes}`),
      message: (message) => void seen.push(message.kind),
      fault: (what) => void seen.push(`fault: ${what}`),
      pause: (stream, yes) => {
        paused[stream] = yes;
      },
    });
    order.begin(token);
    const mark = (n: number): Message => ({ n: 1, token, kind: 'mark', mark: n });
    return { order, seen, paused, mark };
  }

  it('waits for the mark in all three sources', () => {
    const { order, seen, mark } = follow();
    order.chunk('stderr', Buffer.from(`${sign(1)}second`));
    order.message(mark(1));
    order.message({ n: 1, token, kind: 'end' });
    expect(seen).toEqual([]);
    order.chunk('stdout', Buffer.from(`first${sign(1)}`));
    expect(seen).toEqual(['stdout first', 'stderr second', 'end']);
  });

  it.each([[2], [0]])('rejects mark %d in place of 1', (wrong) => {
    const { order, seen, mark } = follow();
    order.chunk('stdout', Buffer.from(sign(wrong)));
    order.chunk('stderr', Buffer.from(sign(1)));
    order.message(mark(1));
    expect(seen).toEqual([expect.stringContaining('fault')]);
  });

  it('pauses a stream that is far ahead, and passes everything on at the end', () => {
    const { order, seen, paused } = follow();
    order.chunk('stdout', Buffer.from(sign(1)));
    order.chunk('stdout', Buffer.alloc(2 << 20, 'x'));
    expect(paused).toEqual({ stdout: true, stderr: false });
    order.finish();
    expect(seen[0]?.length).toBe((2 << 20) + 'stdout '.length);
    expect(paused.stdout).toBe(false);
  });
});

describe('a message', () => {
  it('is only what a driver may say', () => {
    const good = {
      n: 1,
      token,
      kind: 'output',
      output: { output_type: 'display_data', data: {}, metadata: {} },
    };
    expect(toMessage(JSON.stringify(good))).toEqual(good);
    fc.assert(fc.property(fc.jsonValue(), (value) => toMessage(JSON.stringify(value)) === undefined));
    for (const bad of [
      { ...good, n: '1' },
      { ...good, kind: 'other' },
      { ...good, output: { output_type: 'stream', name: 'stdout', text: 'x' } },
      { ...good, output: { output_type: 'display_data', data: [], metadata: {} } },
      { n: 1, token, kind: 'mark', mark: 1.5 },
      { n: 1, token, kind: 'end', error: { output_type: 'error', ename: 1, evalue: '', traceback: [] } },
      { n: 1, token, kind: 'end', error: { output_type: 'error', ename: '', evalue: '', traceback: [1] } },
    ]) {
      expect(toMessage(JSON.stringify(bad)), JSON.stringify(bad)).toBeUndefined();
    }
  });

  it('keeps the texts of an output and drops a value if their JSON is not accepted by Woof', () => {
    const line = (fields: string) => `{"n":1,"token":"${token}",${fields}}`;
    const output = (json: string) =>
      line(`"kind":"output","output":{"output_type":"display_data","data":{"a":${json},"b":"x"}}`);
    const long = '1'.repeat(4301);
    for (const [json, why] of [
      [long, 'a number of 4301 digits is too long: the limit is 4300 digits'],
      [`${'['.repeat(1e5)}1.0${']'.repeat(1e5)}`, 'the JSON is nested too deeply'],
    ] as const) {
      expect(toMessage(output(json))).toMatchObject({ output: { data: { a: `not shown: ${why}`, b: 'x' } } });
      expect(toMessage(line(`"kind":"end","value":${json}`))).toEqual({ n: 1, token, kind: 'end' });
    }
    expect(toMessage(output('1'))).toMatchObject({ output: { data: { a: 1, b: 'x' } } });
  });
});
