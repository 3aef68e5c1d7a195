import { describe, expect, it } from 'vitest';
import { abilities, type Facts, readPermissions } from './abilities.ts';

const FACTS: Facts = {
  protocol: 'https:',
  isOpaque: false,
  permissions: new Set(),
  hasEnv: false,
  hasClipboard: true,
};

/** The names of the abilities that work. */
const works = (facts: Partial<Facts>) =>
  Object.entries(abilities({ ...FACTS, ...facts }))
    .filter(([, ability]) => typeof ability === 'object' && ability.ok)
    .map(([name]) => name);

describe('abilities', () => {
  const all = new Set(['storage', 'env', 'clipboard']);

  it.each([
    ['a page that declares nothing', {}, ['link', 'save']],
    [
      'a page that declares all',
      { permissions: all, hasEnv: true },
      ['persist', 'env', 'clipboard', 'link', 'save'],
    ],
    ['a page without WB_ENV', { permissions: all }, ['persist', 'clipboard', 'link', 'save']],
    ['a page that is not secure', { permissions: all, hasClipboard: false }, ['persist', 'link', 'save']],
    ['a sandboxed page', { permissions: all, isOpaque: true }, ['clipboard', 'link', 'save']],
    ['a file', { permissions: all, protocol: 'file:' }, ['clipboard', 'save']],
    ['a page made in memory', { permissions: all, protocol: 'blob:' }, ['clipboard', 'save']],
    ['a host that grants nothing', { permissions: all, hostCan: {} }, []],
    ['a host that grants something', { hostCan: { persist: true, env: 'no' } as const }, ['persist']],
  ])('of %s', (_, facts, expected) => expect(works(facts)).toEqual(expected));

  it('accept nothing but true as a grant', () => {
    const hostCan = { persist: 1, env: {}, clipboard: null } as unknown as NonNullable<Facts['hostCan']>;
    expect(works({ hostCan })).toEqual([]);
  });
});

describe('permissions', () => {
  it.each([
    ['net,storage', ['net', 'storage']],
    [' net,  storage ', ['net', 'storage']],
    ['none', ['none']],
    ['', []],
    [btoa('{"storage":{"reason":"drafts"},"env":{}}'), ['storage', 'env']],
    ['!not base64!', ['!not', 'base64!']],
    [btoa('not JSON'), [btoa('not JSON')]],
  ])('are read from %j', (content, tokens) => expect([...readPermissions(content)]).toEqual(tokens));
});
