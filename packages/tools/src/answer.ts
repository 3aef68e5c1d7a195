/** What a person said to a task that parked for one. */
import { isObject, type Json } from '@woof/net';

export interface Answer {
  approved: boolean;
  by?: string;
  note?: string;
  override?: boolean;
  /** What the policy said against it when the person was asked. */
  violations?: string[];
  at: number;
}

/** The memo of the tool itself, and the answer where there is one. */
export function readAnswer(resumed: Json | undefined): { memo: Json; answer?: Answer } {
  if (!isObject(resumed) || !isObject(resumed.answer)) return { memo: resumed ?? null };
  return { memo: resumed.memo ?? null, answer: resumed.answer as unknown as Answer };
}
