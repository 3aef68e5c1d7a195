/**
 * The document that a frame gets: the workbook's own text, preceded by one script of the host, which runs before any of
 * the workbook's code and removes itself from the page. Its parts are in `frame/`.
 *
 * The script removes WebRTC and, unless it was granted, copying. A frame that may not keep data has no origin of its own,
 * so the browser refuses storage; the script explains why, in words that help an author. If the browser enforces connection
 * allowlists, removing WebRTC is only a second barrier. If it does not, code can still find WebRTC in another realm (a
 * `srcdoc` frame), and the shell warns about that.
 */
import type { Permission } from '@woof/documents/workbook';
import { CLIPBOARD } from '@woof/workbook-runtime/broker';
import SET_CLIPBOARD from './frame/clipboard.js?raw';
import REFUSE_STORAGE from './frame/refuse-storage.js?raw';
import REMOVE_COPYING from './frame/remove-copying.js?raw';

const WITHOUT = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCIceTransport', 'RTCDtlsTransport'];
/** What may precede a doctype. Only the layout depends on it: browsers use quirks mode for pages without a doctype. */
const DOCTYPE = /^\uFEFF?(?:\s|<!--(?:(?!-->)[\s\S]){0,10000}-->)*<!doctype\b/i;

export interface FrameParts {
  granted: readonly Permission[];
  /** The permissions that the workbook declares. */
  asked: readonly Permission[];
  /** Whether it may keep data in the browser. */
  hasOrigin: boolean;
  env: Readonly<Record<string, string>>;
}

export function frameDocument(text: string, parts: FrameParts): string {
  const script = `<script data-wb-host>${firstScript(parts)}</script>`;
  return `${DOCTYPE.test(text) ? '<!doctype html>' : ''}${script}${text}`;
}

function firstScript(parts: FrameParts): string {
  const mayCopy = parts.granted.includes('clipboard');
  return [
    `for (const name of ${JSON.stringify(WITHOUT)}) delete window[name];`,
    ...(mayCopy ? [] : [`(${REMOVE_COPYING})();`]),
    ...(parts.hasOrigin ? [] : [`(${REFUSE_STORAGE})(window, ${literal(whyNot('storage', parts))});`]),
    `(${SET_CLIPBOARD})(${literal(CLIPBOARD)}${mayCopy ? '' : `, ${literal(whyNot('clipboard', parts))}`});`,
    given(parts.env),
    'document.currentScript.remove()',
  ].join('\n');
}

function whyNot(permission: Permission, { asked, granted }: FrameParts): string {
  if (granted.includes(permission))
    return 'workbooks on a server share a site, so they have no storage in the browser; use wb.persist instead';
  return asked.includes(permission)
    ? `${permission} was not granted to this workbook; to be asked again, reload the page around it or run woof open --revoke`
    : `this workbook does not ask for ${permission}; add it to <meta name="wb-permissions">`;
}

/** JSON inside a string: `__proto__` is treated as an ordinary name. */
function given(env: Readonly<Record<string, string>>): string {
  if (Object.keys(env).length === 0) return '';
  return `window.WB_ENV = Object.freeze(JSON.parse(${literal(JSON.stringify(env))}));`;
}

/** Nothing in it can end the script. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}
