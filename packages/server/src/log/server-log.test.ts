import { describe, expect, it } from 'vitest';
import { type LogFields, ServerLog, type ServerLogOptions } from './server-log.ts';

function lines(options: Partial<ServerLogOptions>, say: (log: ServerLog) => void): string[] {
  const written: string[] = [];
  const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);
  say(new ServerLog({ level: 'info', format: 'json', write: (line) => written.push(line), now, ...options }));
  return written;
}

describe('the log of a server', () => {
  it('has one JSON record per line', () => {
    const fields: LogFields = { call: 'executions.start', status: 201, ms: 3, request_id: 'r1' };
    const [line] = lines({}, (log) => log.info('call\nanswered', fields));
    expect(line!.indexOf('\n')).toBe(line!.length - 1);
    const head = { time: '2026-01-02T03:04:05.000Z', level: 'info', msg: 'call\nanswered' };
    expect(JSON.parse(line!)).toEqual({ ...head, ...fields });
  });

  it('has one line of text per record, whatever it contains', () => {
    const [line] = lines({ format: 'text' }, (log) =>
      log.warn('odd', { worker: 'a\nb "c"\u001b[31m', status: 4 }),
    );
    expect(line).toBe('2026-01-02T03:04:05.000Z warn  odd worker="a b \\"c\\" [31m" status=4\n');
  });

  it('omits records below its level', () => {
    const say = (log: ServerLog) => {
      log.debug('d');
      log.info('i');
      log.warn('w');
      log.fault(new Error('e'));
    };
    expect(lines({ level: 'debug' }, say)).toHaveLength(4);
    expect(lines({ level: 'warn' }, say)).toHaveLength(2);
  });

  it('reports a repeated fault only now and then, with its count', () => {
    let now = Date.UTC(2026, 0, 2);
    const told = lines({ now: () => now }, (log) => {
      for (let second = 0; second < 25; second++) {
        for (const execution_id of ['a', 'b']) log.fault(new Error('the store is away'), { execution_id });
        if (second === 3) log.fault(new Error('another'));
        now += 1000;
      }
    });
    const shown = told
      .map((line) => JSON.parse(line) as LogFields)
      .map(({ error, repeated }) => [error, repeated]);
    expect(shown).toEqual([
      ['the store is away', undefined],
      ['another', undefined],
      ['the store is away', 19],
      ['the store is away', 19],
    ]);
  });

  it('shows no secret of a token', () => {
    const secret = 'x'.repeat(43);
    const cause = new Error(`woof_0123456789_${secret}`);
    const error = new Error(`refused: Bearer woof_0123456789_${secret}`, { cause });
    for (const format of ['json', 'text'] as const) {
      const [line] = lines({ format }, (log) => log.fault(error, { token_id: '0123456789' }));
      expect(line).not.toContain(secret);
      expect(line).toContain('0123456789');
    }
  });
});
