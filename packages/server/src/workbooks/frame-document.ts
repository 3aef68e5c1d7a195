/**
 * The document that a frame gets: the workbook's own text, preceded by one script of the host, which runs before any of
 * the workbook's code and removes itself from the page.
 *
 * The script removes WebRTC and, unless it was granted, copying, and explains why other features that were not granted
 * do not work. If the browser enforces connection allowlists, removing WebRTC is only a second barrier. If it does not,
 * code can still find WebRTC in another realm (a `srcdoc` frame), and the shell warns about that.
 */
import { type Asked, interfaceScript } from './frame-interfaces.ts';

const WITHOUT = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCIceTransport', 'RTCDtlsTransport'];
/** What may precede a doctype. Only the layout depends on it: browsers use quirks mode for pages without a doctype. */
const DOCTYPE = /^\uFEFF?(?:\s|<!--(?:(?!-->)[\s\S]){0,10000}-->)*<!doctype\b/i;

/**
 * `execCommand('copy')` is subject to no policy and needs only a click. The functions used here are captured before
 * other code can change them. A nested frame that is clicked has its own `execCommand`, and like any page, a workbook
 * may choose what Ctrl+C copies.
 */
const WITHOUT_COPY = `{const{apply}=Reflect,lower=String.prototype.toLowerCase,run=Document.prototype.execCommand;
Document.prototype.execCommand=function(name,ui,value){const command=apply(lower,\`\${name}\`,[]);
return command==='copy'||command==='cut'?false:apply(run,this,[command,ui,value])}}`;

export interface FrameParts extends Asked {
  env: Readonly<Record<string, string>>;
}

export function frameDocument(text: string, parts: FrameParts): string {
  const script = `<script data-wb-host>${firstScript(parts)}</script>`;
  return `${DOCTYPE.test(text) ? '<!doctype html>' : ''}${script}${text}`;
}

function firstScript({ env, ...asked }: FrameParts): string {
  const copying = asked.granted.includes('clipboard') ? '' : WITHOUT_COPY;
  const interfaces = interfaceScript(asked);
  return `for(const name of ${JSON.stringify(WITHOUT)})delete window[name];${copying}${interfaces}${given(env)}document.currentScript.remove()`;
}

/** JSON inside a string: `__proto__` is treated as an ordinary name, and nothing in it can end the script. */
function given(env: Readonly<Record<string, string>>): string {
  if (Object.keys(env).length === 0) return '';
  const text = JSON.stringify(JSON.stringify(env)).replaceAll('<', '\\u003c');
  return `window.WB_ENV=Object.freeze(JSON.parse(${text}));`;
}
