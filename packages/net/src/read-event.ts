/** Converts events from outside, in a store's frame or a server's envelope, to the current version. */
import type { Event, RawEvent } from './event.ts';
import { hasFold } from './evolve.ts';
import { currentVersion, NewerVersion, toCurrent } from './format.ts';
import { LOG } from './upcasters.ts';

export const LOG_VERSION = currentVersion(LOG);

/** For events that this program or an earlier version wrote. Their data is trusted to be what that program wrote. */
export function readEvent(raw: RawEvent, version?: unknown): Event {
  const event = toCurrent(LOG, raw, version);
  if (!hasFold(event.name)) throw unknown(event.name);
  return event as unknown as Event;
}

/** A new event does not raise the version of the log, so only its name shows that a newer Woof wrote it. */
function unknown(name: string): NewerVersion {
  const reason = `contains the event ${JSON.stringify(name)}, which this Woof does not know`;
  return new NewerVersion(LOG.what, LOG_VERSION, LOG_VERSION, reason);
}
