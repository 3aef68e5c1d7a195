/** What the page around a workbook says about it, apart from its permissions, which the host puts into words. */
import type { Facts } from '../shell-api.ts';

const KINDS: Record<string, string> = {
  document: 'Document',
  notebook: 'Notebook',
  spa: 'Application',
  presentation: 'Presentation',
};

export function aboutOf({ kind, bytes, hash }: Facts): string {
  return `${KINDS[kind] ?? 'Page'} · ${size(bytes)} · content ${hash.slice(0, 12)}…`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const BOXED =
  'It runs in isolation: it cannot see files, other pages or what you do elsewhere, and it cannot open windows.';

export const UNGUARDED =
  'This browser does not enforce connection allowlists. Whatever you grant, a workbook could still send small amounts of data to an address on the internet, by WebRTC or by opening connections. Chromium 156 prevents this.';

export const UNREACHABLE =
  'This browser cannot open the address of the workbook. Names that end in .localhost must resolve to this computer, as they do in Chromium and Firefox.';
