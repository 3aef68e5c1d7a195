/** How a content security policy names a script or a style that stands in the page. */
import { createHash } from 'node:crypto';

export function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
