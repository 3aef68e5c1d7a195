/** Permissions in plain words. */
import type { Permission } from '@woof/documents/workbook';
import type { Facts } from '../shell-api.ts';

export const NAMES: Record<Permission, string> = {
  net: 'Use the internet',
  storage: 'Keep data',
  clipboard: 'Use the clipboard',
  env: 'Get values from you',
};

export function meaning(permission: Permission, { env, keeper }: Facts): string {
  switch (permission) {
    case 'net':
      return 'It can load data from any https address, and send everything that it contains or that you type into it.';
    case 'storage':
      return `It can keep values for the next time you open it, ${keeper}. Other workbooks cannot see them.`;
    case 'clipboard':
      return 'Right after you click or press a key in it, it can read or replace what you copied.';
    case 'env':
      return `${got(env.given)}${env.missing.length > 0 ? ` It also asks for ${env.missing.join(', ')}, which you did not provide.` : ''}`;
  }
}

function got(names: readonly string[]): string {
  return names.length === 0
    ? 'It gets no values, because you provided none.'
    : `It gets the value of ${names.join(', ')}.`;
}

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

/** What internet access adds to the other permissions; empty if it adds nothing. */
export function together(permissions: readonly Permission[]): string {
  const read = [
    ...(permissions.includes('clipboard') ? ['what you copied'] : []),
    ...(permissions.includes('env') ? ['the values it gets'] : []),
  ];
  if (!permissions.includes('net') || read.length === 0) return '';
  return `With the internet, it can also send ${read.join(' and ')}.`;
}
