/**
 * Finds secrets in sources, by the name of a file and by its content. A bundle travels to everyone who receives the
 * page, so a suspicion is enough to refuse; the author can say that a file is meant to be read.
 */
import { Source } from '../yaml/source.ts';

export interface Secret {
  path: string;
  /** 1-based; absent if the name alone is the reason. */
  line?: number;
  column?: number;
  what: string;
  /** The line, with the secret masked. */
  excerpt?: string;
}

/** Where it is in a text. */
interface Found {
  /** For a private key, where the text that names it begins; else the same as `start`. */
  at?: number;
  start: number;
  end: number;
  what: string;
}

const NAMES: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\.env(\..+)?$|^\.envrc$/, 'a file with environment variables'],
  [
    /^\.(npmrc|yarnrc(\.yml)?|pypirc|netrc|pgpass|my\.cnf|dockercfg|git-credentials|htpasswd|s3cfg|boto)$/,
    'credentials',
  ],
  [/^_netrc$|^(\.)?credentials(\..+)?$|^secrets?\.(json|ya?ml|toml|ini)$|^kubeconfig$/, 'credentials'],
  [/^(client_secret|service[-_]account).*\.json$|^application_default_credentials\.json$/, 'credentials'],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|^ssh_host_.+_key$/, 'a private key'],
  [/\.(pem|key|p12|pfx|pkcs12|ppk|jks|keystore|kdbx|asc)$/, 'a file with keys'],
  [
    /^(.+\.)?local\.(json|ya?ml|toml|ini|js|ts)$|^local\.settings\.json$|^local_settings\.py$/,
    'local configuration',
  ],
  [/^terraform\.tfstate(\..+)?$|\.tfvars$/, 'state with credentials'],
];

const PRIVATE_KEY = 'a private key';

/** A key, a token or a password that a service would accept. */
const CONTENT: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[rn]|["'`+,#/*;%|<>!-]){0,60}[A-Za-z0-9+/=:-]{16}/g,
    PRIVATE_KEY,
  ],
  [/\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g, 'an AWS key'],
  [/aws_?secret_?(?:access_?)?key["']?\s{0,8}[:=]\s{0,8}["']?[A-Za-z0-9/+]{40}\b/gi, 'an AWS secret key'],
  [/\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{50}/g, 'a GitHub token'],
  [/\bglpat-[A-Za-z0-9_-]{20}/g, 'a GitLab token'],
  [
    /\bxox[abeoprs]-[A-Za-z0-9-]{10}|hooks\.slack\.com\/services\/T\w{6,14}\/B\w{6,14}\/\w{16}/g,
    'a Slack token',
  ],
  [/\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20}|\bGOCSPX-[A-Za-z0-9_-]{20}/g, 'a Google key'],
  [/\b[rs]k_live_[A-Za-z0-9]{16}|\bwhsec_[A-Za-z0-9]{24}/g, 'a Stripe key'],
  [/\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32}/g, 'the key of an AI service'],
  [
    /\bnpm_[A-Za-z0-9]{36}|(?<![A-Za-z0-9])_(?:authToken|password)\s{0,8}=\s{0,8}["']?[^\s"'$]{8}/g,
    'an npm token',
  ],
  [/\beyJ[A-Za-z0-9_-]{10,300}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{16}/g, 'a signed token (JWT)'],
];

/** `password = "…"`, `"apiKey": "…"`, `DB_PASSWORD=…`; whether the value is a secret is judged by its randomness. */
const ASSIGNMENT =
  /(?:passw(?:or)?d|pwd|secret|token|api_?key|access_?key|private_?key|credential)\w{0,20}["']?\s{0,8}[:=]\s{0,8}(?:"([^"\s]{10,200})"|'([^'\s]{10,200})'|([^\s"'`,;(){}[\]$<>]{10,200})(?=\s|$))/gi;
const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"']{1,100}:([^\s@/"'${}<>]{8,200})@/gi;

export function findSecrets(path: string, content: Uint8Array): Secret[] {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const byName = NAMES.filter(([pattern]) => pattern.test(name)).map(([, what]) => ({ path, what }));
  return [...byName.slice(0, 1), ...secretsInText(path, new TextDecoder().decode(content))];
}

function secretsInText(path: string, text: string, ranges = rangesIn(text)): Secret[] {
  const found = new Map<number, Secret>();
  const source = new Source(text);
  for (const { start, at = start, what } of ranges) {
    const [line, column] = source.position(at);
    if (found.has(line)) continue;
    found.set(line, { path, line, column, what, excerpt: excerptAt(text, at, ranges) });
  }
  return [...found.values()].sort((a, b) => a.line! - b.line!);
}

/** In the text of a page, including comments. A value that only looks random is too often minified code. */
export function secretsInPage(text: string): Secret[] {
  return secretsInText('', text, rangesOf(text, CONTENT));
}

/** For code that shows source lines to people: everything keeps its position, but secrets are masked with stars. */
export function maskSecrets(text: string): string {
  return masked(text, 0, rangesIn(text));
}

function rangesIn(text: string): Found[] {
  const found = rangesOf(text, CONTENT);
  for (const match of text.matchAll(ASSIGNMENT)) {
    const value = match[1] ?? match[2] ?? match[3] ?? '';
    if (looksRandom(value)) found.push({ ...rangeOf(match, value), what: 'a password, secret or token' });
  }
  for (const match of text.matchAll(IN_ADDRESS)) {
    const [, password = ''] = match;
    if (looksRandom(password)) found.push({ ...rangeOf(match, password), what: 'a password in an address' });
  }
  return found;
}

function rangesOf(text: string, patterns: typeof CONTENT): Found[] {
  return patterns.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)].map(({ index, 0: match }) => {
      const start = index + (what === PRIVATE_KEY ? headerLength(match) : 0);
      return { at: index, start, end: endOf(text, index + match.length, what), what };
    }),
  );
}

/** The header line of a key is not secret. */
const headerLength = (key: string) => key.indexOf('-----', 5) + 5;

function rangeOf({ index, 0: match }: RegExpExecArray, value: string): { start: number; end: number } {
  const start = index + match.lastIndexOf(value);
  return { start, end: start + value.length };
}

const LONGEST_KEY = 20_000;

/**
 * Patterns match how a secret begins; it continues as long as the text looks alike. A private key ends with its last
 * line.
 */
function endOf(text: string, from: number, what: string): number {
  if (what === PRIVATE_KEY) {
    const last = text.slice(from, from + LONGEST_KEY).indexOf('-----END');
    if (last >= 0) return from + last;
  }
  const [rest = ''] = /^[\w.+/=-]{0,5000}/.exec(text.slice(from, from + 5000)) ?? [];
  return from + rest.length;
}

const EXCERPT_LENGTH = 100;

function excerptAt(text: string, at: number, ranges: readonly Found[]): string {
  const from = text.lastIndexOf('\n', at - 1) + 1;
  const to = text.indexOf('\n', at);
  const line = text.slice(from, to < 0 ? undefined : to).slice(0, 10 * EXCERPT_LENGTH);
  const shown = masked(line, from, ranges)
    .replaceAll(/\*{4,}/g, '***')
    .trim();
  return shown.length > EXCERPT_LENGTH ? `${shown.slice(0, EXCERPT_LENGTH)}…` : shown;
}

/** `offset`: where the text begins within the text that the ranges refer to. */
function masked(text: string, offset: number, ranges: readonly Found[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const [from, to] = [Math.max(at, start - offset), Math.min(text.length, end - offset)];
    if (from >= to) continue;
    pieces.push(text.slice(at, from), text.slice(from, to).replaceAll(/[^\r\n]/g, '*'));
    at = to;
  }
  return pieces.join('') + text.slice(at);
}

const PLACEHOLDER =
  /example|change.?me|your|placeholder|dummy|xxxx|\*\*\*|\.\.\.|process\.env|import\.meta|^(.)\1+$|^urn:|^[\w$]+(?:\??\.[\w$]+)+$/i;
const CLASSES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/];

/** Words do not; the output of a generator does. */
function looksRandom(value: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  const classes = CLASSES.filter((each) => each.test(value)).length;
  const bits = entropyOf(value);
  return /\d/.test(value) && ((classes >= 3 && bits >= 3) || (classes >= 2 && bits >= 3.5));
}

/** In bits per character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / value.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0);
}
