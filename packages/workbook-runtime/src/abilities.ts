/** What works here, derived from the facts of the page and the host's answer. The texts are for people. */
import type { Ability, Can, Setting } from './api.ts';
import type { Granted, HostCan } from './broker.ts';

export interface Facts {
  /** The protocol of the page's address: `https:`, `file:` … */
  protocol: string;
  /** The page has no origin of its own, so browsers give it no storage. */
  isOpaque: boolean;
  /** Tokens of `wb-permissions`. */
  permissions: ReadonlySet<string>;
  /** A surrounding page set `WB_ENV`. */
  hasEnv: boolean;
  /** Browsers provide it to secure pages only. */
  hasClipboard: boolean;
  hostCan?: HostCan;
}

const yes = (how: string): Ability => ({ ok: true, how });
const no = (why: string): Ability => ({ ok: false, why });

export const settingOf = ({ protocol, hostCan }: Facts): Setting => {
  if (hostCan) return 'host';
  return /^https?:$/.test(protocol) ? 'page' : 'file';
};

export function abilities(facts: Facts): Can {
  const setting = settingOf(facts);
  return { setting, ...(facts.hostCan ? inHost(facts.hostCan) : onItsOwn(facts, setting)) };
}

/** What a page is told if the host allows it. */
const IN_HOST: Readonly<Record<keyof HostCan, string>> = {
  persist: 'The host keeps values.',
  env: 'The host passes values.',
  clipboard: 'The host reads and writes the clipboard.',
  'share.link': 'The host has an address for this workbook.',
  'share.save': 'The host saves the copy.',
};

function inHost(can: HostCan): Omit<Can, 'setting'> {
  const granted = (what: keyof HostCan) => {
    const answer: Granted | undefined = can[what];
    if (answer === true) return yes(IN_HOST[what]);
    return no(typeof answer === 'string' ? answer : 'The host does not offer this.');
  };
  return {
    persist: granted('persist'),
    env: granted('env'),
    clipboard: granted('clipboard'),
    link: granted('share.link'),
    save: granted('share.save'),
  };
}

function onItsOwn(facts: Facts, setting: Setting): Omit<Can, 'setting'> {
  const { permissions, isOpaque, hasEnv, hasClipboard } = facts;
  const declared = (token: string, ability: Ability) =>
    permissions.has(token) ? ability : no(`The workbook does not declare the permission "${token}".`);
  const storage = isOpaque
    ? no('The page is sandboxed: it has no storage.')
    : yes('The IndexedDB of this site.');
  const isFile = setting === 'file';
  return {
    // Browsers that offer storage to files share it between all files.
    persist: isFile
      ? no('Opened from a file: the browser has no separate storage for it.')
      : declared('storage', storage),
    env: hasEnv ? declared('env', yes('The WB_ENV of the page.')) : no('No host passes values here.'),
    clipboard: hasClipboard
      ? declared('clipboard', yes('The clipboard of the browser.'))
      : no('The browser allows clipboard access only on secure pages (https).'),
    link: isFile
      ? no('Opened from a file: it has no address that others can open.')
      : yes('The address of this page.'),
    save: yes('A download.'),
  };
}

/** Before the host has answered. */
export function unknownYet(facts: Facts): Can {
  const asking = no('Not known yet: await wb.ready.');
  const { setting } = abilities(facts);
  return { setting, persist: asking, env: asking, clipboard: asking, link: asking, save: asking };
}

/** Tokens (`net,storage`), or base64 of `{"<token>": {"reason": …}}`. */
export function readPermissions(content: string): Set<string> {
  const tokens = content.split(/[\s,]+/).filter(Boolean);
  if (tokens.length !== 1 || /^[a-z]+$/.test(tokens[0]!)) return new Set(tokens);
  try {
    return new Set(Object.keys(JSON.parse(atob(tokens[0]!)) as object));
  } catch {
    return new Set(tokens);
  }
}
