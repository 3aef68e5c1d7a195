/**
 * Markdown as HTML. HTML inside it is not trusted and is shown as text. Links lead to pages, mail and places in the
 * text itself, unless `linkOf` decides otherwise. Pictures come from `pictureOf`, because a self-contained page can
 * load none.
 */
import markdownIt, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { isSafeLink } from './allowed-html.ts';

export interface MarkdownOptions {
  /** The data URL of a picture that the text names, if any; `#id` if it is shown elsewhere in the page. */
  pictureOf?(path: string): string | undefined;
  /** Where a link leads; if undefined, it stays text. By default pages, mail and places in the text itself. */
  linkOf?(address: string): string | undefined;
  /** Fenced code as HTML; `language` is as written. */
  codeOf(code: string, language: string): string;
  /** The id of a heading, for links from the table of contents. */
  idOf(text: string): string;
}

export interface Heading {
  level: number;
  text: string;
  id: string;
}

export interface RenderedMarkdown {
  html: string;
  headings: Heading[];
}

export function renderMarkdown(text: string, options: MarkdownOptions): RenderedMarkdown {
  const parser = newParser(options);
  const env: Env = {};
  const tokens = parser.parse(text, env);
  const headings = nameHeadings(tokens, options);
  return { html: parser.renderer.render(tokens, parser.options, env), headings };
}

function newParser({ pictureOf, linkOf = safeLink, codeOf }: MarkdownOptions): MarkdownIt {
  const parser = markdownIt({ html: false, linkify: true, typographer: false });
  // Parse links that lead nowhere too, so that they show as text, not as Markdown.
  parser.validateLink = () => true;
  parser.renderer.rules.link_open = (tokens, at, options, _env, renderer) => {
    const token = tokens[at]!;
    const address = linkOf(String(token.attrGet('href') ?? ''));
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'href');
    if (address !== undefined) token.attrSet('href', address);
    return renderer.renderToken(tokens, at, options);
  };
  const { escapeHtml } = parser.utils;
  parser.renderer.rules.fence = (tokens, at) => {
    const { content, info } = tokens[at]!;
    const language = info.trim().split(/\s+/)[0] ?? '';
    return `<pre class="code" tabindex="0"><code>${codeOf(content, language)}</code></pre>\n`;
  };
  parser.renderer.rules.image = (tokens, at) => {
    const token = tokens[at]!;
    const address = pictureOf?.(String(token.attrGet('src') ?? ''));
    const alt = escapeHtml(token.content);
    // Without a picture, its alternative text is still shown.
    if (address?.startsWith('#'))
      return `<a href="${escapeHtml(address)}">See the chart${alt && `: ${alt}`}</a>`;
    return address === undefined
      ? `<em class="absent">${alt}</em>`
      : `<img src="${escapeHtml(address)}" alt="${alt}">`;
  };
  parser.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
  parser.renderer.rules.table_close = () => '</table></div>\n';
  return parser;
}

const safeLink = (address: string) => (isSafeLink(address) ? address : undefined);

function nameHeadings(tokens: readonly Token[], { idOf }: MarkdownOptions): Heading[] {
  return tokens.flatMap((token, at) => {
    if (token.type !== 'heading_open') return [];
    const text = plainText(tokens[at + 1]);
    const id = idOf(text);
    token.attrSet('id', id);
    return [{ level: Number(token.tag.slice(1)), text, id }];
  });
}

function plainText(token: Token | undefined): string {
  const parts = (token?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content));
  return parts.join('').trim();
}
