/** Filters that Jinja2 does not have. `load` and `ref` are tested with references, in `reference.test.ts`. */
import { describe, expect, it } from 'vitest';
import { compile, Float, scopeOf } from '../index.ts';

const evaluate = (source: string): unknown =>
  compile(source).template!.evaluate(scopeOf({}), { now: () => 0, random: () => 0 });

describe('filters over JSON and base64', () => {
  const check = (source: string, expected: unknown): void => {
    it(source, () => expect(evaluate(`{{ ${source} }}`)).toEqual(expected));
  };
  check("'é' | b64encode", 'w6k=');
  check("'w6k=' | b64decode", 'é');
  check(`'{"a": [1, 2.0]}' | from_json`, { a: [1, new Float(2)] });
  check("'[true]' | fromjson", [true]);

  const refuses = (source: string, message: string): void => {
    it(`${source} says why`, () => expect(() => evaluate(`{{ ${source} }}`)).toThrow(message));
  };
  refuses("'{bad' | from_json", 'this is not JSON: ');
  refuses("'/w==' | b64decode", 'this is not base64 of UTF-8 text');
  refuses('1 | b64decode', 'the base64 text');
});
