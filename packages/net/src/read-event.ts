/** Events that come from outside, in a frame of a store or an envelope of a server, as events of today. */
import { EVENTS, type Event, type RawEvent } from './event.ts';
import { currentVersion, NewerVersion, toCurrent } from './format.ts';
import { LOG } from './upcasters.ts';

export const LOG_VERSION = currentVersion(LOG);

/** Of what this program or an earlier one wrote. Its data is what that program put there. */
export function readEvent(raw: RawEvent, version?: unknown): Event {
  const event = toCurrent(LOG, raw, version);
  if (!Object.hasOwn(EVENTS, event.name)) throw unknown(event.name);
  return event as unknown as Event;
}

/** A new event does not raise the version of the log, so only its name shows that a newer Woof wrote it. */
function unknown(name: string): NewerVersion {
  const reason = `contains the event ${JSON.stringify(name)}, which this Woof does not know`;
  return new NewerVersion(LOG.what, LOG_VERSION, LOG_VERSION, reason);
}
