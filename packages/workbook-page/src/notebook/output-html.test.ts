import { describe, expect, it } from 'vitest';
import { highlight } from './highlight.ts';
import type { CellOutput } from './messages.ts';
import { outputsHtml } from './output-html.ts';

const html = (output: CellOutput) =>
  outputsHtml([output], { clean: (text) => `clean(${text})`, markdown: (text) => `md(${text})` });
const display = (data: Record<string, never> | Record<string, string | string[] | object>) =>
  html({ output_type: 'display_data', data: data as never });

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('an output', () => {
  it('of text is escaped, without the colours of a terminal', () => {
    expect(html({ output_type: 'stream', name: 'stdout', text: '\u001b[31m<b>\u001b[0m &' })).toContain(
      '>&lt;b&gt; &amp;</pre>',
    );
  });

  it('that overwrites its line shows the last state', () => {
    expect(html({ output_type: 'stream', name: 'stdout', text: '10 %\r50 %\r100 %\nend\r\n' })).toContain(
      '>100 %\nend\n<',
    );
  });

  it('of a long line is made at once', () => {
    const text = 'x'.repeat(2_000_000);
    expect(html({ output_type: 'stream', name: 'stdout', text }).length).toBeGreaterThan(2_000_000);
  });

  it('shows the richest form that is safe', () => {
    expect(display({ 'text/plain': 'p', 'text/html': '<b>', 'application/javascript': 'x' })).toContain(
      'clean(<b>)',
    );
    expect(display({ 'text/plain': 'p', 'text/markdown': '*a*' })).toContain('md(*a*)');
    expect(display({ 'text/plain': 'p', 'text/html': '<b>', 'image/png': PNG })).toMatch(/^<div[^>]*><img/);
    expect(display({ 'text/plain': ['a\n', 'b'] })).toContain('a\nb');
    expect(display({ 'application/json': { a: [1] } })).toContain('&quot;a&quot;: [');
    expect(display({})).toContain('<pre');
  });

  it('says how large its picture is', () => {
    expect(display({ 'image/png': PNG })).toContain('width="2" height="3"');
    expect(display({ 'image/svg+xml': '<svg width="20" height="30"></svg>' })).toContain(
      'width="20" height="30"',
    );
    expect(display({ 'image/png': 'no picture' })).not.toContain('width');
  });

  it('contains no markup of a picture, whatever the picture contains', () => {
    const made = display({
      'image/svg+xml': '<svg onload="x"><script>x</script></svg>',
      'text/plain': '"><script>',
    });
    expect(made).not.toMatch(/<script|onload/);
    expect(display({ 'image/png': '"><script>x</script>' })).not.toContain('<script');
  });

  it('of an error has its name, its message and the lines', () => {
    const error = html({ output_type: 'error', ename: 'E<', evalue: 'v', traceback: ['line <1>', 'line 2'] });
    expect(error).toContain('<strong>E&lt;</strong>: v');
    expect(error).toContain('line &lt;1&gt;\nline 2');
  });
});

describe('highlighted code', () => {
  it('is the same text', () => {
    for (const [language, code] of [
      ['python', 'def f(x):\n    """doc <b>"""\n    return f\'{x}\' # no\n'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
      ['javascript', 'const a = `<${b}>` / 2; // "x"\n/* open'],
      ['json', '{"a": [1.5e3, true, null]}'],
      ['unknown', 'a < b & c'],
      ['bash', "echo '$x' # y"],
    ] as const) {
      const text = highlight(code, language).replaceAll(/<[^>]*>/g, '');
      expect(
        text
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&'),
      ).toBe(code);
    }
  });

  it('knows words, text, numbers and comments', () => {
    expect(highlight('if x: return "a" # b', 'python')).toBe(
      '<span class="k">if</span> x: <span class="k">return</span> <span class="s">&quot;a&quot;</span> <span class="c"># b</span>',
    );
    expect(highlight('a < b', 'constructor')).toBe('a &lt; b');
    expect(highlight('iffy(42)', 'python')).toBe('<span class="f">iffy</span>(<span class="n">42</span>)');
  });
});
