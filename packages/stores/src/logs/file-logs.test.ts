import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exerciseLogs } from '@woof/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileLogs } from './file-logs.ts';

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'woof-logs-'));
}

exerciseLogs('files', async () => {
  const folder = temporaryFolder();
  return {
    logs: new FileLogs(join(folder, 'logs')),
    begin: async () => {},
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});

describe('a file of logs', () => {
  const line = (text: string) => ({
    execution_id: 'one',
    at: '2026-11-15T12:00:00.000Z',
    step: 'a',
    job_id: 'a.1',
    task_run_id: 'a.1',
    stream: 'stdout' as const,
    text,
  });

  async function textsOf(logs: FileLogs, query: object = {}): Promise<string[]> {
    return (await logs.read('one', { limit: 10, ...query })).lines.map(({ text }) => text);
  }

  function logsIn(): { logs: FileLogs; file: string } {
    const folder = temporaryFolder();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return { logs: new FileLogs(folder), file: join(folder, 'one.jsonl') };
  }

  it('with a torn line is read around the tear, from either end', async () => {
    const { logs, file } = logsIn();
    await logs.append([line('first')]);
    appendFileSync(file, '{"at":"2026-11-15T12:0');
    await logs.append([line('next'), line('last')]);
    appendFileSync(file, 'null\n{"text":7}\n\n');
    await logs.append([line('after')]);
    appendFileSync(file, '{"step":"a","text":"half wri');
    const all = ['first', 'next', 'last', 'after'];
    for (const query of [{}, { tail: true }, { step: 'a' }, { tail: true, step: 'a' }])
      expect(await textsOf(logs, query)).toEqual(all);
    expect(await textsOf(logs, { tail: true, limit: 1 })).toEqual(['after']);
    expect(await textsOf(logs, { q: 'half' })).toEqual([]);
  });

  it('is read from the next line on if the position is inside a line', async () => {
    const { logs } = logsIn();
    await logs.append([line('first'), line('second')]);
    expect(await textsOf(logs, { from: '5' })).toEqual(['second']);
    const [, second] = (await logs.read('one', { limit: 10 })).lines;
    expect(await textsOf(logs, { before: String(Number(second!.cursor) - 5) })).toEqual(['first']);
  });

  it('of many blocks is read whole from either end', async () => {
    const { logs } = logsIn();
    const texts = Array.from({ length: 3000 }, (_, n) => `${n} ${'.'.repeat((n * 37) % 900)}`);
    await logs.append(texts.map(line));
    const forward = await textsOf(logs, { limit: 5000 });
    expect(forward).toEqual(texts);
    expect(await textsOf(logs, { limit: 5000, tail: true })).toEqual(texts);
    expect(await textsOf(logs, { q: '2999 ' })).toEqual([texts[2999]]);
  });
});
