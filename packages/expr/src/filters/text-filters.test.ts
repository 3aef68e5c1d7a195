/** What these filters say when they fail. What they return is compared with Jinja2 in `differential/`. */
import { describe, expect, it } from 'vitest';
import { compile, scopeOf } from '../index.ts';

const evaluate = (source: string) => () =>
  compile(source).template!.evaluate(scopeOf({}), { now: () => 0, random: () => 0 });

describe('filters over text', () => {
  const refuses = (source: string, message: string): void => {
    it(`${source} says why`, () => expect(evaluate(`{{ ${source} }}`)).toThrow(message));
  };
  refuses('[1] | indent', 'the text to indent');
  refuses("'abcdef' | truncate(2)", 'the length must be at least 3, got 2');
  refuses("'abcdef' | truncate(3, leeway=-1)", 'the leeway must not be negative, got -1');
  refuses("'%s' | format(1, a=2)", 'format takes positional or keyword arguments, not both');
});
