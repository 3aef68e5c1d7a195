/**
 * The document that a frame gets: the workbook's own text behind one script of ours, which runs before any of its code
 * and leaves no trace in the page.
 *
 * It takes copying without leave away, and WebRTC, and says why what was not granted does not work. Where the browser enforces connection allowlists the latter is only a
 * second lock; where it does not, code can still find another realm (a `srcdoc` frame) that has it, and the shell warns.
 */
import { type Asked, interfaceScript } from './frame-interfaces.ts';

const WITHOUT = ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCIceTransport', 'RTCDtlsTransport'];
/** What may stand before a doctype. Only the layout depends on it: pages without one are laid out as of old. */
const DOCTYPE = /^\uFEFF?(?:\s|<!--(?:(?!-->)[\s\S]){0,10000}-->)*<!doctype\b/i;

/**
 * `execCommand('copy')` asks no policy, only for a click. What it uses is taken before any other code could change it.
 * A nested frame that is clicked has its own; and what Ctrl+C copies, a page may say, as any page may.
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

/** JSON inside a string: `__proto__` in it is a name like any other, and nothing in it ends the script. */
function given(env: Readonly<Record<string, string>>): string {
  if (Object.keys(env).length === 0) return '';
  const text = JSON.stringify(JSON.stringify(env)).replaceAll('<', '\\u003c');
  return `window.WB_ENV=Object.freeze(JSON.parse(${text}));`;
}
