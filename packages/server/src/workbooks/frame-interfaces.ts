/**
 * The web's storage and clipboard interfaces inside a frame, as code that runs before the workbook's code.
 *
 * A frame that may not keep data has no origin of its own, so the browser refuses storage; this code only explains why,
 * in words that help an author. `navigator.clipboard` goes through the page around the frame, because a document
 * without an origin cannot ask the browser for permission. That page checks the grant and the click or key press.
 */
import type { Permission } from '@woof/documents/workbook';
import { CLIPBOARD } from '@woof/workbook-runtime/broker';

export interface Asked {
  granted: readonly Permission[];
  /** The permissions that the workbook declares. */
  asked: readonly Permission[];
  /** Whether it may keep data in the browser. */
  hasOrigin: boolean;
}

export function interfaceScript(parts: Asked): string {
  const why = (permission: Permission) => whyNot(permission, parts);
  const storage = parts.hasOrigin ? '' : withoutStorage(why('storage'));
  const clipboard = parts.granted.includes('clipboard') ? CLIPBOARD_CALLS : refusals(why('clipboard'));
  return `{const{defineProperty}=Object;${storage}${clipboard}
const set=(name,value)=>navigator.clipboard?defineProperty(navigator.clipboard,name,{value,configurable:true,writable:true}):0;
if(!navigator.clipboard)defineProperty(navigator,'clipboard',{value:{...calls},configurable:true});
for(const[name,value]of Object.entries(calls))set(name,value);}`;
}

function whyNot(permission: Permission, { asked, granted }: Asked): string {
  if (granted.includes(permission))
    return 'workbooks on a server share a site, so they have no storage in the browser; use wb.persist instead';
  return asked.includes(permission)
    ? `${permission} was not granted to this workbook; to be asked again, reload the page around it or run woof open --revoke`
    : `this workbook does not ask for ${permission}; add it to <meta name="wb-permissions">`;
}

/** Nothing in it can end the script. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}

/**
 * Workers begin with this code too: their code can come only from blobs, which are known by their addresses. To a worker
 * without an origin the browser offers no caches and files at all, so it gets some that refuse. All is on one line, so
 * that errors in a worker name the lines of its author.
 */
const WITHOUT_STORAGE = `function refuse(scope,why){const{defineProperty}=Object;
const no=()=>{throw new DOMException(why,'SecurityError')};
const set=(kind,value,...names)=>{for(const name of names)if(kind&&name in kind.prototype)defineProperty(kind.prototype,name,{value,configurable:true,writable:true})};
for(const name of['localStorage','sessionStorage','caches'])if(name in scope)defineProperty(scope,name,{get:no,configurable:true});
if(scope.document)defineProperty(scope.document,'cookie',{get:no,set:no,configurable:true});
set(scope.IDBFactory,no,'open','deleteDatabase');
set(scope.IDBFactory,async()=>no(),'databases');
set(scope.StorageManager,async()=>no(),'getDirectory','estimate','persist','persisted');
const add=(to,name,...calls)=>{if(!(name in to))defineProperty(to,name,{value:Object.fromEntries(calls.map((call)=>[call,async()=>no()])),configurable:true})};
add(scope,'caches','open','match','has','keys','delete');
add(scope.navigator,'storage','getDirectory','estimate','persist','persisted');
const{URL,Blob,Worker}=scope,make=URL.createObjectURL.bind(URL),revoke=URL.revokeObjectURL.bind(URL),blobs=new Map(),begun=new Map();
const first=\`(\${refuse})(self,\${JSON.stringify(why)});\`;
URL.createObjectURL=(made)=>{const url=make(made);if(made instanceof Blob)blobs.set(url,made);return url};
URL.revokeObjectURL=(url)=>{revoke(url);if(begun.has(url))revoke(begun.get(url));blobs.delete(url);begun.delete(url)};
const begin=(url)=>{const blob=blobs.get(url);if(blob&&!begun.has(url))begun.set(url,make(new Blob([first,blob],{type:blob.type})));return begun.get(url)??url};
if(Worker)scope.Worker=new Proxy(Worker,{construct:(kind,[url,...rest],as)=>Reflect.construct(kind,[begin(\`\${url}\`),...rest],as)})}`.replaceAll(
  '\n',
  '',
);

const withoutStorage = (why: string) => `(${WITHOUT_STORAGE})(window,${literal(why)});`;

const refusals = (
  why: string,
) => `const no=async()=>{throw new DOMException(${literal(why)},'NotAllowedError')};
const calls={readText:no,writeText:no,read:no,write:no};`;

/** Text only: the page around the frame does not pass on other clipboard content. */
const CLIPBOARD_CALLS = `const TEXT='text/plain',around=parent,Channel=MessageChannel;
const ask=(call,...args)=>new Promise((resolve,reject)=>{const{port1,port2}=new Channel();
port1.onmessage=({data})=>{port1.close();data.ok?resolve(data.value):reject(new DOMException(data.error.message,'NotAllowedError'))};
around.postMessage({type:${literal(CLIPBOARD)},call,args},'*',[port2])});
const calls={readText:()=>ask('clipboard.read'),writeText:(text)=>ask('clipboard.write',\`\${text}\`),
read:async()=>[new ClipboardItem({[TEXT]:new Blob([await ask('clipboard.read')],{type:TEXT})})],
write:async(items)=>{const item=[...items].find(({types})=>types.includes(TEXT));
if(!item)throw new DOMException('a workbook can copy only text','NotAllowedError');
return ask('clipboard.write',await(await item.getType(TEXT)).text())}};`;
