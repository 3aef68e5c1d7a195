/**
 * Converts what earlier versions wrote to the current form: one pure function per version step, oldest first.
 *
 * Never change one that was released: logs of that version are read through it. Each has a test in `upcasters.test.ts`,
 * and `conformance/logs` keeps logs as earlier versions wrote them. How to add one: ARCHITECTURE.md, "Changing an
 * event".
 */

import type { RawEvent } from './event.ts';
import type { Format } from './format.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { roughSize } from './rough-size.ts';

/** Applied to each event: an upcaster renames events and changes their data, and keeps their number and order. */
export const LOG: Format<RawEvent> = { what: 'the log', upcasters: [] };

export const PLAN: Format<JsonObject> = { what: 'the plan', upcasters: [] };

export const SNAPSHOT: Format<JsonObject> = { what: 'the snapshot', upcasters: [countedSnapshot] };

/** 1 → 2: loops have their oldest iteration, bytes and stored results, and pipelines count lost leases. */
function countedSnapshot(old: JsonObject): JsonObject {
  return {
    ...old,
    loops: pairs(old.loops).map(([id, loop]) => [id, withStored(loop)]),
    jobs: pairs(old.jobs).map(([id, job]) => [id, withLost(job)]),
  };
}

const pairs = (list: Json | undefined) => (list ?? []) as [string, JsonObject][];

/** Version 1 reserved a place for every result from the start. */
function withStored(loop: JsonObject): JsonObject {
  if (loop.stored !== undefined) return loop;
  const next = loop.next as number;
  const results = (loop.results as Json[]).slice(0, next);
  const oldest = (loop.active as number[])[0] ?? next;
  return { ...loop, oldest, results, bytes: roughSize(results), stored: { count: 0, pages: [] } };
}

function withLost(job: JsonObject): JsonObject {
  const { pipeline } = job;
  return isObject(pipeline) ? { ...job, pipeline: { lost: 0, ...pipeline } } : job;
}
