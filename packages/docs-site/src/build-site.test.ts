import { describe, expect, it } from 'vitest';
import { buildSite } from './build-site.ts';

const INDEX = '# Documentation\n\n[Tools](tools.md) [Beta](how-to/beta.md)\n';

function build(files: Record<string, string>, others: string[] = []) {
  const pages = new Map(Object.entries({ 'docs/README.md': INDEX, 'docs/tools.md': '# Tools\n', ...files }));
  if (!pages.has('docs/how-to/beta.md')) pages.set('docs/how-to/beta.md', '# Beta\n');
  return buildSite({ pages, isFile: (path) => others.includes(path) });
}

const articleOf = (html = '') => /<article>([\s\S]*?)<footer>/.exec(html)![1]!;
const navOf = (html = '') => /<nav[\s\S]*<\/nav>/.exec(html)![0];
const textsOf = (html: string) => [...html.matchAll(/<(?:h2|a)[^>]*>([^<]*)</g)].map(([, text]) => text);

describe('links', () => {
  it('lead from page to page, to headings and to files', () => {
    const text =
      '# A\n\n[i](../README.md) [t](../tools.md#two-words) [s](../schemas/a.json) [o](../../ARCHITECTURE.md)';
    const { pages, files, problems } = build(
      { 'docs/tools/a.md': text, 'docs/tools.md': '# Tools\n\n## Two `words`!\n', 'ARCHITECTURE.md': '# X' },
      ['docs/schemas/a.json'],
    );
    expect(problems).toEqual([]);
    const html = articleOf(pages.get('tools/a.html'));
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
    expect(links).toEqual([
      '../index.html',
      '../tools.html#two-words',
      '../schemas/a.json',
      '../ARCHITECTURE.html',
    ]);
    expect([...files]).toEqual([['schemas/a.json', 'docs/schemas/a.json']]);
  });

  it('to a picture bring it with them', () => {
    const { pages, files } = build({ 'docs/how-to/beta.md': '# B\n\n![a *b*](../images/x.png)' }, [
      'docs/images/x.png',
    ]);
    expect(pages.get('how-to/beta.html')).toContain('<img src="../images/x.png" alt="a *b*">');
    expect(files.get('images/x.png')).toBe('docs/images/x.png');
  });

  it.each([
    ['gone.md', 'there is no file docs/gone.md'],
    ['images/gone.png', 'there is no file docs/images/gone.png'],
    ['README.md#gone', 'docs/README.md has no heading #gone'],
    ['#gone', 'docs/tools.md has no heading #gone'],
    ['../LICENSE.md', 'LICENSE.md is not a page of the site'],
    ['../../x.md', 'leads out of the repository'],
    ['/etc/passwd', 'leads out of the repository'],
  ])('that are dead are problems: %s', (link, why) => {
    const { problems } = build({ 'docs/tools.md': `# Tools\n\n[x](${link}) [y](README.md)` }, ['LICENSE.md']);
    expect(problems).toEqual([`docs/tools.md: the link ${link} is dead: ${why}`]);
  });

  it('with schemes other than those of pages and mail are dead', () => {
    const { problems } = build({
      'docs/tools.md': '# T\n\n[x](javascript:alert(1)) [y](https://example.org)',
    });
    expect(problems).toHaveLength(1);
  });
});

describe('the sidebar', () => {
  it('has a group per folder, in the order of the index and then by title', () => {
    const { pages } = build({
      'docs/how-to/alpha.md': '# Alpha\n',
      'docs/explanation/log.md': '# The log\n',
      'docs/tutorial.md': '# First steps\n',
      'docs/events.md': '# Events\n',
      'ARCHITECTURE.md': '# Architecture\n',
    });
    expect(textsOf(navOf(pages.get('index.html'))).slice(1)).toEqual([
      ...[
        'Tutorial',
        'First steps',
        'How-to',
        'Beta',
        'Alpha',
        'Reference',
        'Tools',
        'Events',
        'Try the HTTP API',
      ],
      ...['Explanation', 'The log', 'Project', 'Architecture'],
    ]);
  });

  it('shows what is below a page only there, and says where the reader is', () => {
    const { pages } = build({ 'docs/tools/http.md': '# http\n' });
    expect(navOf(pages.get('index.html'))).not.toContain('http.html');
    const here = '<a href="../tools/http.html" aria-current="page">http</a>';
    expect(navOf(pages.get('tools/http.html'))).toContain(here);
    expect(navOf(pages.get('tools.html'))).toContain('tools/http.html');
  });
});

describe('a page', () => {
  const hostile =
    '# A <b>\n\n<script>alert(1)</script>\n\n<!-- for editors -->\n```html\n<!-- an example -->\n```\n';
  const { pages, sections } = build({ 'docs/tools.md': hostile });
  const html = pages.get('tools.html')!;

  it('contains no HTML of the text, and no comment outside code', () => {
    expect(articleOf(html)).toContain('&lt;script&gt;');
    expect(articleOf(html)).toContain('an example');
    expect(articleOf(html)).not.toMatch(/<script|<b>|for editors/);
    expect(html).toContain('<title>A &lt;b&gt; · Woof</title>');
  });

  it('has no inline script or style, nor an address elsewhere', () => {
    for (const page of pages.values()) {
      expect(page).not.toMatch(
        /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|(?:src|<link[^>]* href)="(?:https?:)?\/\//,
      );
    }
  });

  it('is searched by its sections, as text', () => {
    const found = sections.find(({ id }) => id === 'tools.html');
    expect(found).toEqual({
      id: 'tools.html',
      page: 'A <b>',
      heading: '',
      text: '<script>alert(1)</script> <!-- an example -->',
    });
  });

  it('is not searched if it is about the project', () => {
    const built = build({ 'ARCHITECTURE.md': '# Architecture\n' });
    expect(built.pages.has('ARCHITECTURE.html')).toBe(true);
    expect(built.sections.map(({ page }) => page)).toEqual(['Documentation', 'Tools', 'Beta']);
  });

  it('has an anchor per heading, also if headings are the same', () => {
    const built = build({ 'docs/tools.md': '# T\n\n## One\n\nfirst\n\n## One\n\nsecond *part*\n' });
    expect(built.sections.filter(({ heading }) => heading === 'One')).toMatchObject([
      { id: 'tools.html#one', text: 'first' },
      { id: 'tools.html#one-1', text: 'second part' },
    ]);
    expect(built.pages.get('tools.html')).toContain('<h2 id="one-1">');
  });
});

it('the not-found page has links that do not depend on its address', () => {
  const missing = build({}).pages.get('404.html')!;
  const links = [...missing.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
  expect(links.filter((link) => !link.startsWith('#') && !link.startsWith('/docs/'))).toEqual([]);
});
