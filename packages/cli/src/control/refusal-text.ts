import type { Refusal } from '@woof/net';

const TEXTS: Partial<Record<Refusal, string>> = {
  execution_ended: 'the run has ended',
  execution_paused: 'the run is paused already',
  override_needed: 'the policy blocks it, so approving it alone does not let it run; add --override',
  execution_not_paused: 'the run is running already',
};

export function refusalText(refusal: Refusal): string {
  return TEXTS[refusal] ?? refusal.replaceAll('_', ' ');
}
