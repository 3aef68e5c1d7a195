/**
 * The permissions that a workbook can ask for, one row per permission, in the order in which people see them. What
 * blocks each until it is granted is in the host (`server/src/workbooks/frame/frame-permissions.ts`).
 */

/** What the words of a prompt depend on. */
export interface PromptFacts {
  /** Names of values: those that the workbook would get, and those that it requests but nobody gave. */
  given: readonly string[];
  missing: readonly string[];
  /** Where kept values are stored, in words. */
  keeper: string;
}

export interface PermissionTraits {
  /** What a page without it does not have, in a word. */
  noun: string;
  /** What people are asked to allow, in a few words. */
  title: string;
  /** What the workbook can do with it. */
  means(facts: PromptFacts): string;
  /** What it lets the workbook read, which `net` would let it send. */
  reads?: string;
  /** The names in code that need it. */
  uses: RegExp;
  /** Bundled code can reach it through the runtime, by names that cannot be distinguished from others. */
  isInRuntime: boolean;
}

const ROWS = {
  net: {
    noun: 'network',
    title: 'Use the internet',
    means: () =>
      'It can load data from any https address, and send everything that it contains or that you type into it.',
    uses: /(?<![.\w$])(?:(?:window|self|globalThis)\s{0,40}\.\s{0,40})?(?:fetch\s{0,40}(?=\()|XMLHttpRequest\b|WebSocket\b|EventSource\b|WebTransport\b|RTCPeerConnection\b|importScripts\s{0,40}(?=\())|\bnavigator\s{0,40}\.\s{0,40}sendBeacon\b/g,
    isInRuntime: false,
  },
  storage: {
    noun: 'storage',
    title: 'Keep data',
    means: ({ keeper }) =>
      `It can keep values for the next time you open it, ${keeper}. Other workbooks cannot see them.`,
    uses: /(?<![.\w$])(?:(?:window|self|globalThis)\s{0,40}\.\s{0,40})?(?:indexedDB|localStorage|sessionStorage)\b(?!\s{0,40}:)|\bnavigator\s{0,40}\.\s{0,40}storage\b|\bdocument\s{0,40}\.\s{0,40}cookie\b|(?<![.\w$])wb\s{0,40}\.\s{0,40}persist\b/g,
    isInRuntime: true,
  },
  clipboard: {
    noun: 'clipboard',
    title: 'Use the clipboard',
    means: () => 'Right after you click or press a key in it, it can read or replace what you copied.',
    reads: 'what you copied',
    uses: /\bnavigator\s{0,40}\.\s{0,40}clipboard\b|\bexecCommand\s{0,40}\(\s{0,40}["'](?:copy|cut|paste)|(?<![.\w$])wb\s{0,40}\.\s{0,40}clipboard\b/g,
    isInRuntime: true,
  },
  env: {
    noun: 'values',
    title: 'Get values from you',
    means: ({ given, missing }) =>
      `${got(given)}${missing.length > 0 ? ` It also asks for ${missing.join(', ')}, which you did not provide.` : ''}`,
    reads: 'the values it gets',
    uses: /\bWB_ENV\b|(?<![.\w$])wb\s{0,40}\.\s{0,40}env\b/g,
    isInRuntime: true,
  },
} satisfies Record<string, PermissionTraits>;

export type Permission = keyof typeof ROWS;

export const PERMISSIONS = Object.keys(ROWS) as Permission[];

export function isPermission(word: string): word is Permission {
  return Object.hasOwn(ROWS, word);
}

export function permissionTraits(permission: Permission): PermissionTraits {
  return ROWS[permission];
}

function got(names: readonly string[]): string {
  return names.length === 0
    ? 'It gets no values, because you provided none.'
    : `It gets the value of ${names.join(', ')}.`;
}
