/**
 * The document that a frame gets: the workbook's own text behind one script of ours, which runs before any of its code
 * and leaves no trace in the page.
 *
 * It takes WebRTC away. Where the browser enforces connection allowlists that is only a second lock; where it does not,
 * code can still find another realm (a `srcdoc` frame) that has it, which is why the shell warns there.
 */
const WITHOUT = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCIceTransport', 'RTCDtlsTransport'];
/** What may stand before a doctype. Only the layout depends on it: pages without one are laid out as of old. */
const DOCTYPE = /^\uFEFF?(?:\s|<!--(?:(?!-->)[\s\S]){0,10000}-->)*<!doctype\b/i;

export function frameDocument(text: string, env: Readonly<Record<string, string>>): string {
  const script = `<script data-wb-host>${firstScript(env)}</script>`;
  return `${DOCTYPE.test(text) ? '<!doctype html>' : ''}${script}${text}`;
}

function firstScript(env: Readonly<Record<string, string>>): string {
  return `for(const name of ${JSON.stringify(WITHOUT)})delete window[name];${given(env)}document.currentScript.remove()`;
}

/** JSON inside a string: `__proto__` in it is a name like any other, and nothing in it ends the script. */
function given(env: Readonly<Record<string, string>>): string {
  if (Object.keys(env).length === 0) return '';
  const text = JSON.stringify(JSON.stringify(env)).replaceAll('<', '\\u003c');
  return `window.WB_ENV=Object.freeze(JSON.parse(${text}));`;
}
