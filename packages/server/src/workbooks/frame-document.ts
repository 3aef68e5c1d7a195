/**
 * The document that a frame gets: the workbook's own text, preceded by one script of the host, which runs before any of
 * the workbook's code and removes itself from the page.
 *
 * The script removes WebRTC and what the rows of `frame/frame-permissions.ts` block: unless it was granted, copying. A
 * frame that may not keep data has no origin of its own, so the browser refuses storage; the script explains why, in words
 * that help an author. If the browser enforces connection allowlists, removing WebRTC is only a second barrier. If it does
 * not, code can still find WebRTC in another realm (a `srcdoc` frame), and the shell warns about that.
 */
import type { Permission } from '@woof/documents/workbook';
import { FRAME_PERMISSIONS } from './frame/frame-permissions.ts';

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
  const permissions = Object.keys(FRAME_PERMISSIONS) as Permission[];
  return [
    `for (const name of ${JSON.stringify(WITHOUT)}) delete window[name];`,
    ...permissions.map((permission) => codeFor(permission, parts)),
    'document.currentScript.remove()',
  ].join('\n');
}

function codeFor(permission: Permission, parts: FrameParts): string {
  const { blockedBy, opens } = FRAME_PERMISSIONS[permission];
  const why = whyNot(permission, parts);
  if (why === undefined) return opens?.(parts.env) ?? '';
  return typeof blockedBy === 'string' ? '' : blockedBy(why);
}

/** Undefined if it may be used. */
function whyNot(permission: Permission, { asked, granted, hasOrigin }: FrameParts): string | undefined {
  if (granted.includes(permission))
    return hasOrigin ? undefined : FRAME_PERMISSIONS[permission].withoutOrigin;
  return asked.includes(permission)
    ? `${permission} was not granted to this workbook; to be asked again, reload the page around it or run woof open --revoke`
    : `this workbook does not ask for ${permission}; add it to <meta name="wb-permissions">`;
}
