/** The keychain as seen by readers who may not see secrets: every field that the plan reads is the same text. */
import { standsFor } from '@woof/expr';
import type { JsonObject } from './json.ts';
import { fieldsUsed } from './keychain-advice.ts';
import type { Plan } from './plan.ts';

export const SECRET_TEXT = '[secret]';

export function hiddenKeychain(plan: Plan): JsonObject {
  const entries = plan.keychain.map(({ name }) => {
    const fields = fieldsUsed(plan, name).map((field) => [field, SECRET_TEXT] as const);
    return [name, standsFor(Object.fromEntries(fields), { value: SECRET_TEXT })] as const;
  });
  return Object.fromEntries(entries);
}
