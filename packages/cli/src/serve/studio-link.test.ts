import { expect, test } from 'vitest';
import { aboutStudio, studioOrigin } from './studio-link.ts';

test('the link leads to the named TLS proxy, else to this machine', () => {
  const url = 'http://127.0.0.1:9663';
  expect(studioOrigin(url)).toBe(url);
  expect(studioOrigin('http://0.0.0.0:9663')).toBe(url);
  expect(studioOrigin('http://[::]:9663')).toBe(url);
  expect(studioOrigin('http://10.0.0.0:9663')).toBe('http://10.0.0.0:9663');
  expect(studioOrigin(url, ['woof.example.org', 'http://plain.example.org'])).toBe(url);
  expect(studioOrigin(url, ['a.example.org', 'https://tls.example.org:8443'])).toBe(
    'https://tls.example.org:8443',
  );
});

test('the link is shown on a terminal only', () => {
  const link = 'http://h/#code=c';
  const said = (more: { link: string | undefined; isTerminal: boolean }) => aboutStudio('http://h', more);
  expect(said({ link, isTerminal: true })).toBe(link);
  expect(said({ link, isTerminal: false })).toBe(
    'http://h  (for a link that signs you in, run woof server link)',
  );
  const unknown = 'http://h  (for a link that signs you in, run woof server link --token TOKEN)';
  for (const isTerminal of [true, false]) expect(said({ link: undefined, isTerminal })).toBe(unknown);
});
