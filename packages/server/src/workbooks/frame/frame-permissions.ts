/**
 * What a frame may do with each permission, one row per permission: what blocks it until it is granted, and what the
 * workbook gets once it is.
 */
import type { Permission } from '@woof/documents/workbook';
import { CLIPBOARD, type HostCan } from '@woof/workbook-runtime/broker';
import SET_CLIPBOARD from './clipboard.js?raw';
import REFUSE_STORAGE from './refuse-storage.js?raw';
import REMOVE_COPYING from './remove-copying.js?raw';

interface FrameTraits {
  /**
   * `policy`: the headers of the frame (`frame-policy.ts`). `host`: the host hands nothing over. Otherwise code that
   * runs before any of the workbook's code; `why` is for an author.
   */
  blockedBy: 'policy' | 'host' | ((why: string) => string);
  /** Also blocked if the frame has no origin of its own, and why. */
  withoutOrigin?: string;
  /** Code that hands over what was granted. */
  opens?: (env: Readonly<Record<string, string>>) => string;
  /** The calls of the runtime that need it. */
  calls?: keyof HostCan;
}

/** In the order in which their code runs. Removing copying is a defence, so no other code may fail before it. */
export const FRAME_PERMISSIONS: Readonly<Record<Permission, FrameTraits>> = {
  net: { blockedBy: 'policy' },
  clipboard: {
    blockedBy: (why) => `(${REMOVE_COPYING})();\n(${SET_CLIPBOARD})(${literal(CLIPBOARD)}, ${literal(why)});`,
    opens: () => `(${SET_CLIPBOARD})(${literal(CLIPBOARD)});`,
    calls: 'clipboard',
  },
  storage: {
    blockedBy: (why) => `(${REFUSE_STORAGE})(window, ${literal(why)});`,
    withoutOrigin:
      'workbooks on a server share a site, so they have no storage in the browser; use wb.persist instead',
    calls: 'persist',
  },
  env: { blockedBy: 'host', opens: given, calls: 'env' },
};

/** JSON inside a string: `__proto__` is treated as an ordinary name. */
function given(env: Readonly<Record<string, string>>): string {
  if (Object.keys(env).length === 0) return '';
  return `window.WB_ENV = Object.freeze(JSON.parse(${literal(JSON.stringify(env))}));`;
}

/** Nothing in it can end the script. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}
