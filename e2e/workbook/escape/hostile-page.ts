/** One page that holds all attempts. The fragment of its address says which of them a click on its button starts. */
import { BARE_CLIENT, pageOf } from '../opened.ts';
import { ATTEMPTS, type Attempt } from './attempts.ts';
import { REPORTS_NAME, type World } from './world.ts';

export const TOGETHER = 'together';
export const LISTEN = 'listen';
export const AT_TOP = 'at-top';

export function hostilePage({ suffix, datagrams }: World, permissions = 'none'): string {
  const codes = ATTEMPTS.map(
    ({ name, code }) => `${JSON.stringify(name)}: (T, UDP, won, POLICY, BLOCKED) => { ${code} }`,
  );
  const namesOf = (which: (attempt: Attempt) => unknown) => ATTEMPTS.filter(which).map(({ name }) => name);
  const several = {
    [TOGETHER]: namesOf(({ alone, spends }) => !alone && !spends),
    [LISTEN]: namesOf(({ spends }) => spends),
    [AT_TOP]: namesOf(({ atTop }) => atTop),
  };
  const script = `
  const attempts = { ${codes.join(',\n')} };
  const ports = ${JSON.stringify(datagrams)};
  const wins = new Set();
  const stun = (Connection, port) => {
    const p = new Connection({ iceServers: [{ urls: 'stun:127.0.0.1:' + port }] });
    p.createDataChannel('x');
    p.createOffer().then((offer) => p.setLocalDescription(offer));
  };
  addEventListener('unhandledrejection', (event) => event.preventDefault());
  const start = (name) => {
    const T = 'http://' + name + '.${suffix}/' + name;
    try {
      attempts[name](T, ports[name], () => wins.add(name), '${reportingPolicy(suffix)}', T.replace(/:\\d+/, ':1'));
    } catch {}
  };
  const several = ${JSON.stringify(several)};
  const which = location.hash.slice('#wb='.length);
  if (which === '${LISTEN}') new BroadcastChannel('woof').onmessage = () => wins.add('broadcast');
  document.querySelector('#go').onclick = () => {
    for (const name of several[which] ?? [which]) start(name);
    document.title = 'tried';
  };`;
  return pageOf(
    `<button id="go">go</button>${BARE_CLIENT}<script>${script.replaceAll('</', '<\\/')}</script>`,
    permissions,
  );
}

/** The headers of a careless host: everything that it refuses is reported. It refuses none of the attempts. */
export const reportingHeaders = ({ suffix }: World) => ({
  'content-security-policy': reportingPolicy(suffix),
});

const reportingPolicy = (suffix: string) =>
  `img-src http://*.${suffix} blob: data:; report-uri http://${REPORTS_NAME}.${suffix}/`;

/** A host that believes everything it is told, around a page without restrictions. */
export const NAIVE_SHELL = `<!doctype html><title>naive</title><iframe></iframe><script>
  addEventListener('message', ({ data, source }) => {
    if (data.type !== 'wb:hello') return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data: { id } }) => port1.postMessage({ id, ok: true });
    source.postMessage({ type: 'wb:welcome', version: 1, can: {}, env: { SECRET: 'x' } }, '*', [port2]);
  });
  document.querySelector('iframe').src = '/page' + location.hash;
</script>`;
