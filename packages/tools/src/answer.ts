/** A person's answer to a task that parked for one. */
import { isObject, type Json } from '@woof/net';

export interface Answer {
  approved: boolean;
  by?: string;
  note?: string;
  override?: boolean;
  /** The policy's objections when the person was asked. */
  violations?: string[];
  at: number;
}

/** The tool's own memo, and the answer if there is one. */
export function readAnswer(resumed: Json | undefined): { memo: Json; answer?: Answer } {
  if (!isObject(resumed) || !isObject(resumed.answer)) return { memo: resumed ?? null };
  return { memo: resumed.memo ?? null, answer: resumed.answer as unknown as Answer };
}
