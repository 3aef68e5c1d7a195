/** Converts events from outside, in a store's frame or a server's envelope, to the current version. */
import type { Event, RawEvent } from './event.ts';
import { eventNames } from './evolve.ts';
import { currentVersion, NewerVersion, toCurrent } from './format.ts';
import { LOG } from './upcasters.ts';

export const LOG_VERSION = currentVersion(LOG);

/** Each event gets this copy of its name: V8 looks up its own names much faster than those that it parsed from text. */
const NAMES = new Map(eventNames().map((name) => [name, name]));

/** For events that this program or an earlier version wrote. Their data is trusted to be what that program wrote. */
export function readEvent(raw: RawEvent, version?: unknown): Event {
  const event = toCurrent(LOG, raw, version);
  const name = NAMES.get(event.name);
  if (name === undefined) throw unknown(event.name);
  event.name = name;
  return event as unknown as Event;
}

/** A new event does not raise the version of the log, so only its name shows that a newer Woof wrote it. */
function unknown(name: string): NewerVersion {
  const reason = `contains the event ${JSON.stringify(name)}, which this Woof does not know`;
  return new NewerVersion(LOG.what, LOG_VERSION, LOG_VERSION, reason);
}
