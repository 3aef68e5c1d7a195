/** What people read when the core refuses a command, wherever the run is driven. */
import type { Refusal } from '@woof/net';

const TEXTS: Partial<Record<Refusal, string>> = {
  execution_ended: 'the run has ended',
  execution_paused: 'the run is already paused',
  execution_not_paused: 'the run is already running',
  override_needed:
    'the safety policy blocks this step; approve it with --override (in the API: "override": true)',
};

export function refusalText(refusal: Refusal): string {
  return TEXTS[refusal] ?? refusal.replaceAll('_', ' ');
}
