/** Plans as a store or a server keeps them, written by this or another version of the program. */
import { currentVersion, type Format, toCurrent } from './format.ts';
import type { JsonObject } from './json.ts';
import type { Plan } from './plan.ts';
import { PLAN } from './upcasters.ts';

const PLAN_VERSION = currentVersion(PLAN);

/** A converted plan carries its new version: a server passes it on to a client, which reads it again. */
export function readPlan(stored: JsonObject, format: Format<JsonObject> = PLAN): Plan {
  const read = toCurrent(format, stored, stored.version);
  const plan = read === stored ? read : { ...read, version: currentVersion(format) };
  return plan as unknown as Plan;
}

/** The plan as it is stored. */
export function writtenPlan(plan: Plan): Plan {
  return PLAN_VERSION > 1 ? { ...plan, version: PLAN_VERSION } : plan;
}
