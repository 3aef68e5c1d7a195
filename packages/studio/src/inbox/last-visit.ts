/** When this person looked at the inbox last, in this browser. */
import { useMemo } from 'preact/hooks';

const PLACE = 'woof-last-visit';
const DAY_MS = 86_400_000;
/** Whoever comes back within an hour is still on the same visit. */
const VISIT_MS = 3_600_000;

interface Visits {
  /** When the visit before this one ended. */
  before: number;
  latest: number;
}

function read(now: number): Visits {
  try {
    const { before, latest } = JSON.parse(localStorage.getItem(PLACE) ?? '') as Visits;
    if (Number.isFinite(before) && Number.isFinite(latest)) return { before, latest };
  } catch {
    // The first visit.
  }
  return { before: now - DAY_MS, latest: now };
}

export function visitAt(now: number, { before, latest }: Visits): Visits {
  return { before: now - latest > VISIT_MS ? latest : before, latest: now };
}

export function useLastVisit(): number {
  return useMemo(() => {
    const visits = visitAt(Date.now(), read(Date.now()));
    localStorage.setItem(PLACE, JSON.stringify(visits));
    return visits.before;
  }, []);
}
