/**
 * How a workbook declares the permissions that it asks for. Two encodings are in use: the standard's comma tokens, and base64 of
 * `{"net": {"reason": "…"}}`. Both are read; tokens are written, with the reasons in a separate meta tag.
 */
import { decodeBase64 } from './base64.ts';
import { isPermission, PERMISSIONS, type Permission } from './permissions.ts';

export type Reasons = Partial<Record<Permission, string>>;

/** The longest reason that a prompt shows. */
const REASON_LENGTH = 300;

export interface DeclaredPermissions {
  permissions: Permission[];
  reasons: Reasons;
  /** Words that are not permissions. */
  unknown: string[];
  /** It says `none` and something else. */
  contradictory: boolean;
}

export function readPermissions(content: string, reasons?: string): DeclaredPermissions {
  const object = decodedObject(content);
  const words = object ? Object.keys(object) : tokensOf(content);
  const asked = words.filter((word) => word !== 'none');
  return {
    permissions: PERMISSIONS.filter((permission) => asked.includes(permission)),
    reasons: reasonsIn(object ?? parsedObject(reasons ?? '') ?? {}),
    unknown: [...new Set(asked.filter((word) => !isPermission(word)))],
    contradictory: words.includes('none') && asked.length > 0,
  };
}

export function printPermissions(permissions: readonly Permission[]): string {
  const sorted = PERMISSIONS.filter((permission) => permissions.includes(permission));
  return sorted.length === 0 ? 'none' : sorted.join(',');
}

export function printReasons(reasons: Reasons): string {
  const given = PERMISSIONS.filter((permission) => reasons[permission]);
  return JSON.stringify(Object.fromEntries(given.map((permission) => [permission, reasons[permission]])));
}

function tokensOf(content: string): string[] {
  const words = content.split(/[\s,]/).map((word) => word.toLowerCase());
  return words.filter((word) => word !== '');
}

function decodedObject(content: string): Record<string, unknown> | undefined {
  const bytes = decodeBase64(content.replaceAll(/\s/g, ''));
  return bytes && parsedObject(new TextDecoder().decode(bytes));
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** `{"net": {"reason": "…"}}`, or `{"net": "…"}` as Woof writes it. */
function reasonsIn(object: Record<string, unknown>): Reasons {
  const reasons: Reasons = {};
  for (const permission of PERMISSIONS) {
    const given = Object.hasOwn(object, permission) ? object[permission] : undefined;
    const reason = typeof given === 'string' ? given : (given as { reason?: unknown } | null)?.reason;
    if (typeof reason === 'string' && reason.trim() !== '')
      reasons[permission] = reason.trim().slice(0, REASON_LENGTH);
  }
  return reasons;
}
