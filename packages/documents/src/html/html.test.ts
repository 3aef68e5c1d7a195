import { describe, expect, it } from 'vitest';
import { isSafeLink } from './allowed-html.ts';
import { cleanHtml } from './clean-html.ts';
import { renderMarkdown } from './render-markdown.ts';

const markdown = (text: string, pictureOf?: (path: string) => string | undefined) =>
  renderMarkdown(text, {
    codeOf: (code, language) => `[${language}]${code.trim()}`,
    idOf: (heading) => heading.toLowerCase().replaceAll(' ', '-'),
    ...(pictureOf ? { pictureOf } : {}),
  });

describe('HTML of cells', () => {
  it.each([
    [
      'a table stays',
      '<table><tr><th scope="col">a</th></tr></table>',
      '<table><tbody><tr><th scope="col">a</th></tr></tbody></table>',
    ],
    ['a script goes with its text', 'a<script>alert(1)</script>b', 'ab'],
    ['handlers go', '<p onclick="x()" onmouseover=x>a</p>', '<p>a</p>'],
    ['styles and ids go', '<p style="position:fixed" id="woof-model" class="cell">a</p>', '<p>a</p>'],
    ['a style sheet goes', '<style>*{display:none}</style>a', 'a'],
    ['foreign markup goes', '<svg><script>x</script></svg><math><mi>y</mi></math>z', 'z'],
    ['frames and forms go', '<iframe srcdoc="x"></iframe><form action="/x"><input name=a>b</form>', 'b'],
    ['unknown tags open', '<x-y>a<b>c</b></x-y>', 'a<b>c</b>'],
    [
      'pictures in the text stay',
      '<img src="data:image/png;base64,AAAA" onerror=x alt=a>',
      '<img src="data:image/png;base64,AAAA" alt="a">',
    ],
    ['pictures elsewhere do not load', '<img src="https://x.test/y.png">', '<img>'],
    ['pages in the address go', '<img src="data:text/html;base64,AAAA">', '<img>'],
    ['a link to a page stays', '<a href="https://x.test/">a</a>', '<a href="https://x.test/">a</a>'],
    ['a comment goes', 'a<!-- <script> -->b', 'ab'],
    ['a template goes', '<template><img onerror=x></template>a', 'a'],
    [
      'what hides in attributes stays text',
      '<p title="</p><script>x</script>">a</p>',
      '<p title="&lt;/p&gt;&lt;script&gt;x&lt;/script&gt;">a</p>',
    ],
  ])('%s', (_, html, clean) => {
    expect(cleanHtml(html)).toBe(clean);
  });

  it('is the same when it is cleaned twice, however it is nested', () => {
    for (const html of [
      '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
      '<noscript><p title="</noscript><img onerror=x>">',
      '<math><mtext><table><mglyph><style><!--</style><img title="--><img onerror=x>">',
      `${'<div>'.repeat(2000)}x`,
    ]) {
      const once = cleanHtml(html);
      expect(once).not.toMatch(/onerror=x(?!&)|<script|<style/i);
      expect(cleanHtml(once)).toBe(once);
    }
  });
});

describe('a link', () => {
  it.each([
    'javascript:alert(1)',
    ' java\nscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//x.test',
    '/x',
    'JaVaScRiPt:x',
  ])('is refused: %j', (link) => expect(isSafeLink(link)).toBe(false));

  it.each(['https://x.test', 'HTTP://x.test', 'mailto:a@x.test', '#place'])('is kept: %j', (link) =>
    expect(isSafeLink(link)).toBe(true),
  );
});

describe('Markdown', () => {
  it('has headings with ids', () => {
    const { html, headings } = markdown('# One *two*\n\n## Three');
    expect(headings).toEqual([
      { level: 1, text: 'One two', id: 'one-two' },
      { level: 2, text: 'Three', id: 'three' },
    ]);
    expect(html).toContain('<h1 id="one-two">One <em>two</em></h1>');
  });

  it('shows HTML as text', () => {
    expect(markdown('<img src=x onerror=alert(1)> <script>x</script>').html).not.toMatch(/<(img|script)/);
  });

  it('makes no link of what is not one', () => {
    expect(markdown('[a](javascript:alert(1)) [b](https://x.test)').html).not.toContain('href="javascript');
    expect(markdown('[a](other.md) <javascript:alert(1)> ![c](javascript:x)').html).toMatch(
      /^<p><a>a<\/a> <a>[^<]*<\/a> <em/,
    );
    expect(markdown('[b](https://x.test)').html).toContain('<a href="https://x.test">b</a>');
  });

  it('shows the pictures that it is given, and the alternative text of others', () => {
    const { html } = markdown('![one](a.png) ![two](b.png) ![three](https://x.test/c.png)', (path) =>
      path === 'a.png' ? 'data:image/png;base64,AAAA' : undefined,
    );
    expect(html).toContain('<img src="data:image/png;base64,AAAA" alt="one">');
    expect(html).not.toMatch(/<img[^>]*(b\.png|x\.test)/);
    expect(html).toContain('three');
  });

  it('highlights fences', () => {
    expect(markdown('```js\nx\n```').html).toContain('<code>[js]x</code>');
  });
});
