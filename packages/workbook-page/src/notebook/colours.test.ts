/** Every text of a page is readable in light and dark colours: it has the contrast that WCAG AA requires. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = ['../reading.css', './notebook.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('\n');
const pairs = [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
const themes = {
  light: new Map(pairs.map(([, name, light]) => [name!, light!])),
  dark: new Map(pairs.map(([, name, , dark]) => [name!, dark!])),
};

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

describe.each(Object.entries(themes))('%s colours', (_, colours) => {
  it.each([
    ...['text', 'soft', 'accent', 'good', 'bad'].map((ink) => [ink, 'paper']),
    ...[
      'text',
      'soft',
      'accent',
      'code-keyword',
      'code-text',
      'code-number',
      'code-comment',
      'code-call',
    ].map((ink) => [ink, 'card']),
    ...[
      ['text', 'accent-soft'],
      ['text', 'bad-soft'],
      ['bad', 'bad-soft'],
      ['paper', 'accent'],
    ],
  ] as [string, string][])('%s on %s', (ink, ground) => {
    expect(contrast(colours.get(ink)!, colours.get(ground)!)).toBeGreaterThanOrEqual(4.5);
  });

  it('the focus can be seen', () => {
    expect(contrast(colours.get('focus')!, colours.get('paper')!)).toBeGreaterThanOrEqual(3);
  });
});
