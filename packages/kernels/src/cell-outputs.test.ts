import { describe, expect, it } from 'vitest';
import { CellOutputs } from './cell-outputs.ts';
import type { CellOutput } from './kernel.ts';

const display: CellOutput = { output_type: 'display_data', data: { 'text/plain': 'x' }, metadata: {} };

function collect(maxBytes?: number) {
  const seen: CellOutput[] = [];
  return { seen, outputs: new CellOutputs({ output: (output) => void seen.push(output) }, maxBytes) };
}

describe('the outputs of a cell', () => {
  it('joins consecutive text of one stream, but never across another output', () => {
    const { seen, outputs } = collect();
    for (const text of ['a', 'b']) outputs.bytes('stdout', Buffer.from(text));
    outputs.bytes('stderr', Buffer.from('c'));
    outputs.display(display);
    outputs.bytes('stderr', Buffer.from('d'));
    outputs.end();
    const stream = (name: 'stdout' | 'stderr', text: string) => ({ output_type: 'stream', name, text });
    expect(seen).toEqual([stream('stdout', 'ab'), stream('stderr', 'c'), display, stream('stderr', 'd')]);
  });

  it('passes text on while the cell runs', async () => {
    const arrived = new Promise((resolve) =>
      new CellOutputs({ output: resolve }).bytes('stdout', Buffer.from('now')),
    );
    expect(await arrived).toEqual({ output_type: 'stream', name: 'stdout', text: 'now' });
  });

  it('keeps characters whole that arrive in parts, and truncates long text', () => {
    const { seen, outputs } = collect();
    const bytes = Buffer.from('é');
    outputs.bytes('stdout', bytes.subarray(0, 1));
    outputs.bytes('stdout', bytes.subarray(1));
    outputs.bytes('stdout', Buffer.alloc(200_000, 'x'));
    outputs.end();
    const texts = seen.map((output) => ('text' in output ? output.text : ''));
    expect(texts.join('')).toBe(`é${'x'.repeat(200_000)}`);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(64 * 1024);
  });

  it('counts what it does not keep, including displays, and always passes on an error', () => {
    const { seen, outputs } = collect(4);
    outputs.bytes('stdout', Buffer.from('123456'));
    outputs.display(display);
    const error: CellOutput = { output_type: 'error', ename: 'E', evalue: '', traceback: [] };
    outputs.end();
    outputs.error(error);
    expect(seen).toEqual([{ output_type: 'stream', name: 'stdout', text: '1234' }, error]);
    expect(outputs.droppedBytes).toBe(2 + JSON.stringify(display).length);
  });
});
