/**
 * Secrets in sources, by the name of a file and by what stands in it. A bundle travels to whoever gets the page, so a
 * suspicion is enough to refuse; the author can say that a file is meant to be read.
 */
import { Source } from '../yaml/source.ts';

export interface Secret {
  path: string;
  /** 1-based; absent where the name alone is the reason. */
  line?: number;
  what: string;
}

const NAMES: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\.env(\..+)?$|^\.envrc$/, 'a file of environment variables'],
  [
    /^\.(npmrc|yarnrc(\.yml)?|pypirc|netrc|pgpass|my\.cnf|dockercfg|git-credentials|htpasswd|s3cfg|boto)$/,
    'credentials',
  ],
  [/^_netrc$|^(\.)?credentials(\..+)?$|^secrets?\.(json|ya?ml|toml|ini)$|^kubeconfig$/, 'credentials'],
  [/^(client_secret|service[-_]account).*\.json$|^application_default_credentials\.json$/, 'credentials'],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|^ssh_host_.+_key$/, 'a private key'],
  [/\.(pem|key|p12|pfx|pkcs12|ppk|jks|keystore|kdbx|asc)$/, 'a file of keys'],
  [
    /^(.+\.)?local\.(json|ya?ml|toml|ini|js|ts)$|^local\.settings\.json$|^local_settings\.py$/,
    'local configuration',
  ],
  [/^terraform\.tfstate(\..+)?$|\.tfvars$/, 'state with credentials'],
];

/** A key, a token or a password that a service would take. */
const CONTENT: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[rn]|["'+]){0,20}[A-Za-z0-9+/=:-]{16}/g,
    'a private key',
  ],
  [/\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g, 'a key of AWS'],
  [/aws_?secret_?(?:access_?)?key["']?\s{0,8}[:=]\s{0,8}["']?[A-Za-z0-9/+]{40}\b/gi, 'a secret key of AWS'],
  [/\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{50}/g, 'a token of GitHub'],
  [/\bglpat-[A-Za-z0-9_-]{20}/g, 'a token of GitLab'],
  [
    /\bxox[abeoprs]-[A-Za-z0-9-]{10}|hooks\.slack\.com\/services\/T\w{6,14}\/B\w{6,14}\/\w{16}/g,
    'a token of Slack',
  ],
  [/\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20}|\bGOCSPX-[A-Za-z0-9_-]{20}/g, 'a key of Google'],
  [/\b[rs]k_live_[A-Za-z0-9]{16}|\bwhsec_[A-Za-z0-9]{24}/g, 'a key of Stripe'],
  [/\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32}/g, 'a key of an AI service'],
  [
    /\bnpm_[A-Za-z0-9]{36}|(?<![A-Za-z0-9])_(?:authToken|password)\s{0,8}=\s{0,8}["']?[^\s"'$]{8}/g,
    'a token of npm',
  ],
  [/\beyJ[A-Za-z0-9_-]{10,300}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{16}/g, 'a signed token (JWT)'],
];

/** `password = "…"`, `"apiKey": "…"`, `DB_PASSWORD=…`; whether the value is one, its randomness says. */
const ASSIGNMENT =
  /(?:passw(?:or)?d|pwd|secret|token|api_?key|access_?key|private_?key|credential)\w{0,20}["']?\s{0,8}[:=]\s{0,8}(?:"([^"\s]{10,200})"|'([^'\s]{10,200})'|([^\s"'`,;(){}[\]$<>]{10,200})(?=\s|$))/gi;
const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"']{1,100}:([^\s@/"'${}<>]{8,200})@/gi;

export function findSecrets(path: string, content: Uint8Array): Secret[] {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const byName = NAMES.filter(([pattern]) => pattern.test(name)).map(([, what]) => ({ path, what }));
  return [...byName.slice(0, 1), ...secretsInText(path, new TextDecoder().decode(content))];
}

function secretsInText(path: string, text: string): Secret[] {
  const found = new Map<number, string>();
  const source = new Source(text);
  const note = (at: number, what: string) => {
    const [line] = source.position(at);
    if (!found.has(line)) found.set(line, what);
  };
  for (const [pattern, what] of CONTENT) for (const { index } of text.matchAll(pattern)) note(index, what);
  for (const { index, 1: double, 2: single, 3: bare } of text.matchAll(ASSIGNMENT))
    if (looksRandom(double ?? single ?? bare ?? '')) note(index, 'a password, secret or token');
  for (const { index, 1: password = '' } of text.matchAll(IN_ADDRESS))
    if (looksRandom(password)) note(index, 'a password in an address');
  const lines = [...found].sort(([a], [b]) => a - b);
  return lines.map(([line, what]) => ({ path, line, what }));
}

const PLACEHOLDER =
  /example|change.?me|your|placeholder|dummy|xxxx|\*\*\*|\.\.\.|process\.env|import\.meta|^(.)\1+$|^urn:|^[\w$]+(?:\??\.[\w$]+)+$/i;
const CLASSES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/];

/** Words are not; what a generator made is. */
function looksRandom(value: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  const classes = CLASSES.filter((each) => each.test(value)).length;
  const bits = entropyOf(value);
  return /\d/.test(value) && ((classes >= 3 && bits >= 3) || (classes >= 2 && bits >= 3.5));
}

/** Bits a character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / value.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0);
}
