import { expect, it } from 'vitest';
import { nextPage } from './next-page.ts';

const url = new URL('https://api.example/items?page=2');

it.each([
  ['</items?page=3>; rel="next"', 'https://api.example/items?page=3'],
  [
    '<https://api.example/a>; rel="prev", <https://api.example/b?x=1,2>; rel="next"; title="a, b"',
    'https://api.example/b?x=1,2',
  ],
  ['<https://api.example/a>; rel=next', 'https://api.example/a'],
  ['<https://api.example/a>; rel="last next"', 'https://api.example/a'],
  ['<https://api.example/a>; title="next"; rel="prev"', undefined],
  ['<https://api.example/a>; rel="nextish"', undefined],
  ['nonsense <<>>;;', undefined],
])('finds the next page in %s', (link, expected) => {
  expect(nextPage({ link }, url)).toBe(expected);
});

it('finds none without the header', () => {
  expect(nextPage({}, url)).toBeUndefined();
});
