/** A schedule in one line: its next time, in its time zone. */
import type { AnswerOf } from '@woof/protocol/http';

type Schedule = Pick<AnswerOf<'schedules.get'>, 'schedule_id' | 'next' | 'timezone' | 'paused'>;

export function scheduleLine({ schedule_id, next, timezone, paused }: Schedule): string {
  const [first] = next;
  const when = paused
    ? 'paused'
    : first === undefined
      ? 'no next start time'
      : `next ${timeIn(first, timezone)}`;
  return `schedule ${schedule_id}, ${when}\n`;
}

/** The local time there, with its offset: `2026-03-29 06:00 GMT+2`. */
export function timeIn(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const zone = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'shortOffset' });
  const offset = zone.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${format.format(time)} ${offset === 'GMT' || offset === 'GMT+0' ? 'UTC' : offset}`;
}
