import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryStore } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './fixtures/test-server.ts';
import { FileLogStore, type LogStore } from './log-store.ts';
import { RecordsLogStore } from './records-log-store.ts';

const line = (text: string, id = 'one', taskRun = 'a.1') => ({
  execution_id: id,
  at: '2026-11-15T12:00:00.000Z',
  step: 'a',
  job_id: 'a.1',
  task_run_id: taskRun,
  stream: 'stdout' as const,
  text,
});

async function readAll(logs: LogStore, id: string, limit: number): Promise<string[]> {
  const texts: string[] = [];
  for (let from: string | undefined; ; ) {
    const { lines, next } = await logs.read(id, from, limit);
    expect(lines.length).toBeLessThanOrEqual(limit);
    if (lines.length === 0) return texts;
    texts.push(...lines.map(({ text }) => text));
    from = next;
  }
}

describe.each([
  ['files', () => new FileLogStore(join(temporaryFolder(), 'logs'))],
  ['records', () => new RecordsLogStore(new MemoryStore().records, Date.now)],
])('logs in %s', (_name, make) => {
  it('come back in order, in pages of any size, by execution', async () => {
    const logs: LogStore = make();
    const texts = Array.from({ length: 97 }, (_, index) => `${index} é\n`);
    for (let at = 0; at < texts.length; at += 10) {
      const batch = texts.slice(at, at + 10).map((text) => line(text));
      await logs.append([...batch, line('elsewhere', 'other')]);
    }
    for (const limit of [1, 3, 10, 50, 1000]) expect(await readAll(logs, 'one', limit)).toEqual(texts);
    expect(await readAll(logs, 'other', 7)).toHaveLength(10);
    expect(await readAll(logs, 'none', 7)).toEqual([]);
  });

  it('whoever reads on hears what came since', async () => {
    const logs: LogStore = make();
    await logs.append([line('first')]);
    const { next } = await logs.read('one', undefined, 10);
    expect(await logs.read('one', next, 10)).toEqual({ lines: [], next });
    await logs.append([line('second')]);
    expect(await logs.read('one', next, 10)).toMatchObject({ lines: [{ text: 'second' }] });
  });

  it('keep the first 10 MiB of a task run', async () => {
    const logs: LogStore = make();
    const much = 'x'.repeat(6 * 1024 * 1024);
    for (let round = 0; round < 3; round++) await logs.append([line(much), line('little', 'one', 'b.1')]);
    const kept = await readAll(logs, 'one', 100);
    expect(kept.filter((text) => text === 'little')).toHaveLength(3);
    expect(kept.join('').length).toBe(10 * 1024 * 1024 + 3 * 'little'.length);
  });

  it('an odd place or name is none', async () => {
    const logs: LogStore = make();
    await logs.append([line('x'), line('x', '../../escape')]);
    for (const from of ['-5', 'NaN', '1e99', '#', '#-1', 'x#y'])
      expect((await logs.read('one', from, 10)).lines.length).toBeLessThanOrEqual(1);
  });
});

describe('a file of logs', () => {
  it('that a crash tore is read around the tear', async () => {
    const folder = join(temporaryFolder(), 'logs');
    const logs = new FileLogStore(folder);
    await logs.append([line('first')]);
    appendFileSync(join(folder, 'one.jsonl'), '{"at":"2026-11-15T12:0');
    await logs.append([line('next'), line('last')]);
    appendFileSync(join(folder, 'one.jsonl'), 'null\n');
    await logs.append([line('after')]);
    expect(await readAll(logs, 'one', 10)).toEqual(['first', 'next', 'last', 'after']);
    expect(await readAll(logs, 'one', 1)).toEqual(['first', 'next', 'last', 'after']);
  });

  it('is read from the next line on, where the place is inside of one', async () => {
    const logs = new FileLogStore(join(temporaryFolder(), 'logs'));
    await logs.append([line('first'), line('second')]);
    expect(await logs.read('one', '5', 10)).toMatchObject({ lines: [{ text: 'second' }] });
  });
});
