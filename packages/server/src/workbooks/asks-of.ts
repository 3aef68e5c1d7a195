/** What a workbook asks for, in the words that people read before they agree. */
import { type Permission, type PromptFacts, permissionTraits, type Reasons } from '@woof/documents/workbook';
import type { Ask } from './shell-api.ts';

export function asksOf(permissions: readonly Permission[], reasons: Reasons, facts: PromptFacts): Ask[] {
  return permissions.map((permission) => {
    const { title, means } = permissionTraits(permission);
    const reason = reasons[permission];
    return { permission, title, means: means(facts), ...(reason ? { reason } : {}) };
  });
}

/** What internet access adds to the other permissions; empty if it adds nothing. */
export function together(permissions: readonly Permission[]): string {
  const read = permissions.flatMap((permission) => permissionTraits(permission).reads ?? []);
  if (!permissions.includes('net') || read.length === 0) return '';
  return `With the internet, it can also send ${read.join(' and ')}.`;
}
