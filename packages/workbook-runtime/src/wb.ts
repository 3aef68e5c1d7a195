/** Assembles the parts for one page. The host is contacted at once; other parts wait for its answer if they need it. */
import { abilities, type Facts, readPermissions, unknownYet } from './abilities.ts';
import type { Can, Clipboard, Wb } from './api.ts';
import { keepOriginal, stateInside } from './document-copy.ts';
import { defineElements } from './elements.ts';
import { type EnvValues, makeEnv } from './env.ts';
import { makeHint } from './hint.ts';
import { greetHost, type Host } from './host-link.ts';
import { makePersist } from './persist.ts';
import { makeShare, snapshotIn } from './share.ts';
import { makeStates, type NamedStates, readSnapshot } from './states.ts';
import { brokerStore, indexedDbStore } from './value-store.ts';
import { VERSION } from './version.ts';
import { WbError } from './wb-error.ts';
import { whenRead, whenRun } from './when-read.ts';

type Page = Window & typeof globalThis;
type WithEnv = Page & { WB_ENV?: unknown };

export function makeWb(page: Page): Wb {
  const { document } = page;
  const env = makeEnv();
  const states = makeStates(env.guard);
  const hint = makeHint(document);
  const copyWith = keepOriginal(document);
  let can: Can = unknownYet(readFacts(page));
  const settle = (found?: Host) => {
    takeEnv(page, env, found);
    can = abilities({ ...readFacts(page), ...(found && { hostCan: found.welcome.can }) });
    env.open();
    return can;
  };
  const host = greetHost(page);
  const isKnown = page.parent === page && document.readyState !== 'loading';
  const ready = isKnown
    ? Promise.resolve(settle())
    : Promise.all([host, read(document)]).then(([found]) => settle(found));
  const { snapshot } = states.api;
  const share = makeShare({ ready, host, page: document, snapshot, copyWith, guard: env.guard });
  const save = {
    label: 'Save a copy',
    run: () => void share.save().catch((error) => hint.show(error.message)),
  };
  const persist = makePersist({
    store: ready.then(async (can) => {
      if (!can.persist.ok) return undefined;
      const found = await host;
      return found ? brokerStore(found) : indexedDbStore(workbookId(document));
    }),
    states,
    guard: env.guard,
    onNothingKept: () =>
      hint.show(`Changes are not kept here. ${whyNot(can)}`, can.save.ok ? save : undefined),
    onProblem: (error) =>
      hint.show(`A change was not kept: ${(error as Error).message}`, can.save.ok ? save : undefined),
    // On reload, a link must not undo what was done since.
    onKept: () =>
      page.location.hash.includes('wb=') &&
      page.history.replaceState(page.history.state, '', ownAddress(page)),
  });
  takeStates(page, states, (text) => hint.show(text));
  whenRun(document, () => defineElements(page, states, persist));
  return {
    version: VERSION,
    /** The bundle is at the end of the page, after most scripts. */
    get envelope() {
      return envelopeOf(document);
    },
    ready,
    get can() {
      return can;
    },
    state: states.api,
    persist,
    env: { get: env.get, names: env.names },
    share,
    clipboard: makeClipboard(page, ready, host),
  };
}

const whyNot = ({ persist }: Can) => (persist.ok ? '' : persist.why);

function readFacts(page: WithEnv): Facts {
  const content =
    page.document.querySelector('meta[name="wb-permissions"]')?.getAttribute('content') ?? 'none';
  return {
    protocol: page.location.protocol,
    isOpaque: page.origin === 'null',
    permissions: readPermissions(content),
    hasEnv: typeof page.WB_ENV === 'object' && page.WB_ENV !== null,
    hasClipboard: page.navigator.clipboard !== undefined,
  };
}

function takeEnv(page: WithEnv, env: EnvValues, host: Host | undefined): void {
  if (!host) {
    const facts = readFacts(page);
    if (facts.hasEnv && facts.permissions.has('env')) env.give(page.WB_ENV as Record<string, unknown>);
    return;
  }
  env.give(host.welcome.env, host.welcome.secrets);
  const values: unknown = Object.freeze({ ...host.welcome.env });
  Object.defineProperty(page, 'WB_ENV', { value: values, configurable: true });
}

/** A link takes precedence over kept values, which take precedence over the state in the file. */
function takeStates(page: Page, states: NamedStates, complain: (text: string) => void): void {
  const take = (text: string | undefined, from: 'file' | 'link') => {
    try {
      if (text !== undefined) states.offer(readSnapshot(text), from);
    } catch {
      whenRead(page.document, () => complain(`The state in this ${from} is damaged and was ignored.`));
    }
  };
  const takeLink = () => take(snapshotIn(page.location.hash), 'link');
  whenRead(page.document, () => take(stateInside(page.document), 'file'));
  takeLink();
  page.addEventListener('hashchange', takeLink);
}

/** The permissions tag may come after the script. */
const read = (document: Document) => new Promise<void>((resolve) => whenRead(document, resolve));

const ownAddress = ({ location }: Page) => location.pathname + location.search;

/** Separates the kept values of workbooks on the same site. */
function workbookId(document: Document): string {
  const named = document.querySelector('meta[name="wb-id"]')?.getAttribute('content');
  return named || document.location.pathname;
}

function envelopeOf(document: Document): number | undefined {
  const type = 'script[type="application/x-workbook-source"]';
  const version = document.querySelector<HTMLElement>(type)?.dataset.version;
  return version === undefined ? undefined : Number(version);
}

function makeClipboard(page: Page, ready: Promise<Can>, host: Promise<Host | undefined>): Clipboard {
  const allowed = async () => {
    const { clipboard } = await ready;
    if (!clipboard.ok) throw new WbError('unavailable', clipboard.why);
    return host;
  };
  const { clipboard } = page.navigator;
  const denied = (error: Error) => Promise.reject(new WbError('denied', error.message));
  return {
    async read() {
      const broker = await allowed();
      return broker ? broker.call('clipboard.read') : clipboard.readText().catch(denied);
    },
    async write(text) {
      const broker = await allowed();
      const written = String(text);
      await (broker ? broker.call('clipboard.write', written) : clipboard.writeText(written).catch(denied));
    },
  };
}
