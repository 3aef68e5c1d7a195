/** How a content security policy names an inline script or style. */
import { createHash } from 'node:crypto';

export function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
