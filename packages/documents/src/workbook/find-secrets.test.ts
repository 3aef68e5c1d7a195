import { describe, expect, test } from 'vitest';
import { findSecrets, maskSecrets, secretsInPage } from './find-secrets.ts';
import { isIgnored } from './ignored-names.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const BODY = 'MIIEowIBAAKCAQEA7Zq1x9';
// Assembled here, so that a search of this repository for secrets finds none.
const key = (kind: string) => `-----BEGIN ${kind}PRIVATE ${'KEY'}-----`;

describe('findSecrets', () => {
  test.each([
    ...['.npmrc', 'id_rsa', 'deep/id_ed25519', 'server.pem', 'tls.key', '.env', '.env.local', 'credentials'],
    ...[
      '.aws/credentials',
      '.netrc',
      '.pypirc',
      'config.local.json',
      'local.settings.json',
      'service-account.json',
    ],
    ...['secrets.yaml', 'store.p12', 'ID_RSA'],
  ])('knows %s by its name', (path) => {
    expect(findSecrets(path, bytesOf(''))).toEqual([{ path, what: expect.any(String) }]);
  });

  test.each([
    ['a private key', `${key('RSA ')}\n${BODY}`],
    ['a private key', `${key('')}\\n${BODY}`],
    ['a private key', `const k = "${key('OPENSSH ')}" + "${BODY}"`],
    ['an AWS key', `id: ${'AKIA'}IOSFODNN7EXAMPLE`],
    ['an AWS secret key', `aws_secret_access_key = ${'wJalrXUtnFEMI/K7MDENG'}/bPxRfiCYEXAMPLEKEY`],
    ['a GitHub token', `${'ghp'}_0123456789abcdefghijABCDEFGHIJ012345`],
    ['a Slack token', `${'xoxb'}-123456789012-abcdefghij`],
    ['a Google key', `${'AIza'}SyA1234567890abcdefghijklmnopqrstuv`],
    ['an npm token', `//registry/:_authToken=${'0123456789abcdef'}`],
    [
      'a signed token (JWT)',
      `${'eyJhbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P`,
    ],
    ['a password, secret or token', `password = "${'kX9'}$mQ2vL7!pR"`],
    ['a password, secret or token', `{"apiKey": '${'f3a9c1'}d8e7b6a5f4c3d2e1'}`],
    ['a password, secret or token', `export DB_PASSWORD=${'Zq8'}tN4wYb6Rk`],
    ['a password in an address', `postgres://app:${'kX9mQ2'}vL7pRt@db/x`],
  ])('finds %s in a text', (what, text) => {
    const [found, ...more] = findSecrets('notes.txt', bytesOf(`first\n\n${text}\nlast`));
    expect([found, more]).toMatchObject([{ path: 'notes.txt', line: 3, what }, []]);
    expect(found!.excerpt).toMatch(/\*\*\*|KEY-----$/);
    expect(text).not.toContain(maskSecrets(text));
    // In a page, only text in the form of a secret counts.
    const isGuess = what.startsWith('a password');
    expect(secretsInPage(`<script>\n${text}\n</script>`)).toMatchObject(isGuess ? [] : [{ line: 2, what }]);
  });

  test.each(['# ', '// ', ' * ', '-- ', '; ', '> ', '<!-- '])('finds a private key after "%s"', (mark) => {
    const text = `first\n${mark}${key('RSA ')}\n${mark}${BODY}\n${mark}-----END`;
    expect(findSecrets('notes.txt', bytesOf(text))).toMatchObject([{ line: 2, what: 'a private key' }]);
    expect(maskSecrets(text)).not.toContain(BODY);
    expect(maskSecrets(text)).toHaveLength(text.length);
  });

  test('shows the line of what it found, and never the secret', () => {
    const secret = `${'kX9'}$mQ2vL7!pR`;
    const text = `const a = 1;\n  db.open({ user: "app", password: "${secret}" });`;
    const [found] = findSecrets('notes.txt', bytesOf(text));
    expect(found).toMatchObject({ line: 2, excerpt: 'db.open({ user: "app", password: "***" });' });
    expect(text.split('\n')[1]!.slice(found!.column! - 1)).toMatch(/^kX9/);
  });

  test.each([
    'password = "correct horse battery staple"',
    'password: "changeme12345"',
    'const token = process.env.GITHUB_TOKEN_123',
    'secret = "your-secret-here-123"',
    'token: "{{ keychain.api.token1 }}"',
    `//registry/:_authToken=\${NPM_TOKEN}`,
    'function readToken(text1, tokenIndex2) { return tokens[12345678901] }',
    'postgres://user:password@localhost/x',
    '-----BEGIN PUBLIC KEY-----\nMIIEowIBAAKCAQEA7Zq1x9',
    `a page that explains what ${key('')} means`,
    'eyJhbGciOiJIUzI1NiJ9 alone',
    'var require_password = __commonJS({ x1: 1 })',
    'onresumptiontoken: options2?.onresumptiontoken',
    "'Lock-Token': 'urn:uuid:a515cfa4-5da4-22e1-f5b5-00a0451e6bf7'",
  ])('leaves %j alone', (text) => {
    expect(findSecrets('notes.txt', bytesOf(text))).toEqual([]);
  });

  test('takes time in proportion to the text', () => {
    const long = bytesOf('password="eyJ'.repeat(20_000) + 'a'.repeat(200_000) + '://'.repeat(50_000));
    expect(findSecrets('long.txt', long)).toEqual([]);
  });
});

test.each([
  ['node_modules', true],
  ['.env', true],
  ['.env.production', true],
  ['report.workbook.html', true],
  ['a.bundle.json', true],
  ['a.bundle.json.gz', true],
  ['.workbook.html', false],
  ['builds', false],
  ['.environment', false],
  ['index.html', false],
])('the name %s is ignored: %s', (name, ignored) => {
  expect(isIgnored(name)).toBe(ignored);
});
