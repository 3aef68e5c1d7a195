// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs as text
import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { elementsOf, isHtmlElement, parseHtml, textOf } from './html-tree.ts';
import { inlineScript, inlineStyle } from './inline-text.ts';

/** What a browser would take as the script's text. */
function scriptIn(html: string): string {
  const page = `<!doctype html><title>t</title><body>${html}<p>after</p></body>`;
  const elements = [...elementsOf(parseHtml(page).document)];
  expect(elements.filter((element) => isHtmlElement(element, 'p'))).toHaveLength(1);
  const scripts = elements.filter((element) => isHtmlElement(element, 'script'));
  expect(scripts).toHaveLength(1);
  return textOf(scripts[0]!);
}

const context = createContext({});
const run = (code: string) => runInContext(`${code}\nresult`, context) as unknown;

/** The program means the same inside the page as outside. */
function checkScript(code: string): void {
  const inside = scriptIn(inlineScript(code));
  expect(JSON.stringify(run(inside))).toBe(JSON.stringify(run(code)));
  expect(Buffer.from(inside).toString()).toBe(inside);
}

describe('inlineScript', () => {
  test.each([
    ['a string', `var result = "</script><script>" + '<!--' + "</SCRIPT " + "$$ $& $1"`],
    ['the end of the body', `var result = "</body></html></head>"`],
    ['a template', 'var x = 1, result = `</script>${x}${`<!-- ${"</script>"} -->`}<script>`'],
    ['a raw template', 'var result = String.raw`\\n</script>\\<!--${1}<script>`'],
    ['a tagged template', 'var tag = (s) => s.join("|"), result = tag`<script>${1}</script>`'],
    ['an escaped character', `var result = "\\</script>\\\\</script>"`],
    [
      'a regular expression',
      `var result = /<\\/script|<!--|[/<]<script/.source.length > 0 && /<!--/.test('<!--')`,
    ],
    ['comments', `/* </script> <!-- */ var result = 1 // <script> <!-- </script>`],
    ['an old comment', `var result = 1 <!-- it's "not" </script>\n; result++`],
    ['a comparison', `var script = 2, result = 1<script`],
    ['a division before a quote', `var a = 4, result = [a / 2, "</script>", (a) / 1, '<!--']`],
    ['a regular expression with a quote', `var result = ['a"b'.split(/"/), "</script>"]`],
    [
      'control characters',
      'var result = ["\u0000\u0001\u007f\u0085", `\u0000`, /\u0001/.test("\u0001"), "\\\u0002"]',
    ],
    ['control characters in a raw template', 'var result = String.raw`\u0000\\\u0001`'],
    [
      'characters that are none',
      'var result = "\uffff\ufdd0\u{10ffff}\ud800" + /[\u{1fffe}]/u.test("\u{1fffe}")',
    ],
    ['braces in a placeholder', 'var f = (o) => o.a, result = `${f({ a: "</script>" })}<!--`'],
  ])('survives %s', (_, code) => checkScript(code));

  it('keeps an operator of a module apart', () => {
    const inside = scriptIn(inlineScript('n<!--i', { type: 'module' }));
    expect(inside).toBe('n< !--i');
  });

  it('survives strings of any text', () => {
    const piece = fc.constantFrom(
      '</script',
      '<!--',
      '-->',
      '<script',
      '$$',
      '\\',
      '"',
      "'",
      '`',
      '</body>',
      ' ',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 8 });
    const property = fc.property(text, fc.nat(4), (pieces, form) => {
      const value = pieces.join('');
      const json = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
      const single = `'${json.slice(1, -1).replaceAll("'", "\\'")}'`;
      const template = `\`${json.slice(1, -1).replaceAll('`', '\\`').replaceAll('$', '\\$')}\``;
      // JavaScript itself reads a carriage return in a template as a line feed.
      const bare = value.replaceAll(/[\\`$]/g, '\\$&').replaceAll('\r', '\\r');
      const raw = value.replaceAll(/[\\`$\r]/g, '');
      const forms = [json, single, template, `\`${bare}\``, `String.raw\`${raw}\``];
      checkScript(`var result = ${forms[form]}`);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('escapes JSON as JSON', () => {
    const value = { html: '</script><!-- <script>', other: '<b>' };
    const text = scriptIn(inlineScript(JSON.stringify(value), { type: 'application/json', id: 'data' }));
    expect(JSON.parse(text)).toEqual(value);
  });

  it('keeps control characters in JSON', () => {
    const text = scriptIn(inlineScript('"\u007f\uffff"', { type: 'application/json' }));
    expect(JSON.parse(text)).toBe('\u007f\uffff');
    expect(text).toBe('"\\u007F\\uFFFF"');
  });

  it('refuses what cannot be written in another way', () => {
    expect(() => inlineScript('print("</script>")', { type: 'text/x-python' })).toThrow('give it as JSON');
    expect(scriptIn(inlineScript('print(1)', { type: 'text/x-python' }))).toBe('print(1)');
  });

  it('escapes attribute values and refuses invalid names', () => {
    expect(inlineScript('', { id: '"><b>', async: true })).toBe(
      '<script id="&quot;&gt;&lt;b&gt;" async></script>',
    );
    expect(() => inlineScript('', { 'a>b': '' })).toThrow('no name of an attribute');
  });
});

describe('inlineStyle', () => {
  it('survives the end of a style', () => {
    const html = inlineStyle('p::after { content: "</style><b>" } /* </STYLE> */ <!-- -->');
    const elements = [...elementsOf(parseHtml(`<!doctype html><title>t</title>${html}`).document)];
    expect(elements.filter((element) => isHtmlElement(element, 'b'))).toHaveLength(0);
    const style = elements.find((element) => isHtmlElement(element, 'style'))!;
    expect(textOf(style)).toContain('content: "<\\/style><b>"');
  });
});
