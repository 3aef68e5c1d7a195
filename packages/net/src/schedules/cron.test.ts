import { describe, expect, it } from 'vitest';
import { type Cron, isCronFault, parseCron } from './cron.ts';

function parsed(text: string): Cron {
  const cron = parseCron(text);
  if (isCronFault(cron)) throw new Error(cron.message);
  return cron;
}

describe('cron', () => {
  it.each([
    ['*/15 * * * *', [0, 15, 30, 45]],
    ['5/20 * * * *', [5, 25, 45]],
    ['10-20/5,59 * * * *', [10, 15, 20, 59]],
    ['7,3,3 * * * *', [3, 7]],
  ])('%s', (text, minutes) => {
    expect(parsed(text).minutes).toEqual(minutes);
  });

  it.each([
    ['0 0 * * mon-fri', [1, 2, 3, 4, 5]],
    ['0 0 * * FRI-SUN', [0, 5, 6]],
    ['0 0 * * 7', [0]],
    ['0 0 * * 5-7', [0, 5, 6]],
    ['0 0 * * *', [0, 1, 2, 3, 4, 5, 6]],
    ['0 0 * * */2', [0, 2, 4, 6]],
  ])('%s is on weekdays %j', (text, weekdays) => {
    expect([...parsed(text).weekdays].sort()).toEqual(weekdays);
  });

  it('knows nicknames and names of months', () => {
    expect(parsed('@Hourly')).toEqual(parsed('0 * * * *'));
    expect(parsed(' @yearly ')).toEqual(parsed('0 0 1 jan *'));
    expect([...parsed('0 0 1 Jan,NOV-12 *').months]).toEqual([1, 11, 12]);
  });

  it.each([
    ['60 * * * *', 1, 3, 'minute: expected 0-59, got "60"'],
    ['0 6 * * mon-fro', 13, 16, 'weekday: expected 0-7 or sun-sat, got "fro"'],
    ['0 6 * 13 *', 7, 9, 'month: expected 1-12 or jan-dec, got "13"'],
    ['0 6 5-1 * *', 5, 8, 'day: expected a range from the lower to the higher value, got "5-1"'],
    ['*/0 * * * *', 3, 4, 'minute: expected a step of 1 or more, got "0"'],
    ['1,,2 * * * *', 3, 4, 'minute: expected 0-59, got nothing'],
    ['1/2/3 * * * *', 1, 6, 'minute: expected at most one "/", got "1/2/3"'],
    ['-1 * * * *', 1, 2, 'minute: expected 0-59, got nothing'],
    ['1e1 * * * *', 1, 4, 'minute: expected 0-59, got "1e1"'],
    ['0 6 * *', 1, 8, 'expected 5 fields (minute hour day month weekday), got 4'],
    ['', 1, 2, 'expected 5 fields (minute hour day month weekday), got 0'],
    ['0 0 6 * * *', 1, 12, 'expected 5 fields (minute hour day month weekday), got 6'],
    ['0 0 30 2 *', 5, 7, 'day: none of these months has a day 30'],
    ['0 0 31 4,6,9,11 *', 5, 7, 'day: none of these months has a day 31'],
  ])('refuses %j at its place', (text, column, endColumn, message) => {
    const fault = parseCron(text);
    expect(fault).toMatchObject({ column, endColumn, message });
    expect(isCronFault(parseCron((fault as { example: string }).example))).toBe(false);
  });

  it('says which nicknames there are', () => {
    expect(parseCron('@reboot')).toMatchObject({
      column: 1,
      endColumn: 8,
      message: expect.stringContaining('@daily'),
    });
  });
});
