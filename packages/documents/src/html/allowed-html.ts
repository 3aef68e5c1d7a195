/**
 * Which HTML from cells and authors is shown: tables, text and embedded pictures. No scripts, styles, forms, frames,
 * foreign markup or ids: nothing that acts, loads, covers the page or takes the name of a part of it.
 */
const TAGS = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'bdi',
    'bdo',
    'blockquote',
    'br',
    'caption',
    'cite',
    'code',
    'col',
    'colgroup',
    'dd',
    'del',
  ],
  ...[
    'details',
    'dfn',
    'div',
    'dl',
    'dt',
    'em',
    'figcaption',
    'figure',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
  ],
  ...[
    'img',
    'ins',
    'kbd',
    'li',
    'mark',
    'ol',
    'p',
    'pre',
    'q',
    's',
    'samp',
    'section',
    'small',
    'span',
    'strong',
  ],
  ...[
    'sub',
    'summary',
    'sup',
    'table',
    'tbody',
    'td',
    'tfoot',
    'th',
    'thead',
    'time',
    'tr',
    'u',
    'ul',
    'var',
    'wbr',
  ],
]);

/** Dropped with their content; for other unknown tags, only the tags are dropped. */
const WHOLE = new Set([
  ...[
    'script',
    'style',
    'template',
    'iframe',
    'object',
    'embed',
    'svg',
    'math',
    'noscript',
    'noembed',
    'noframes',
  ],
  ...[
    'title',
    'textarea',
    'select',
    'xmp',
    'plaintext',
    'head',
    'link',
    'meta',
    'base',
    'frameset',
    'audio',
    'video',
  ],
]);

const ATTRIBUTES: Record<string, readonly string[]> = {
  '*': ['title', 'lang', 'dir'],
  a: ['href'],
  img: ['src', 'alt', 'width', 'height'],
  td: ['colspan', 'rowspan', 'align'],
  th: ['colspan', 'rowspan', 'align', 'scope'],
  col: ['span'],
  colgroup: ['span'],
  ol: ['start', 'type'],
  li: ['value'],
  time: ['datetime'],
  details: ['open'],
};

export type Verdict = 'keep' | 'open' | 'drop';

/** `open`: the element is removed, its content stays. */
export function verdictOn(tag: string): Verdict {
  if (TAGS.has(tag)) return 'keep';
  return WHOLE.has(tag) ? 'drop' : 'open';
}

export function isAllowedAttribute(tag: string, name: string, value: string): boolean {
  if (!ATTRIBUTES['*']!.includes(name) && !ATTRIBUTES[tag]?.includes(name)) return false;
  if (name === 'href') return isSafeLink(value);
  return name !== 'src' || isInlinePicture(value);
}

/** Browsers ignore white space and control characters in a scheme. */
export function isSafeLink(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what hides a scheme
  const plain = value.replaceAll(/[\u0000-\u0020\u007f-\u009f]/g, '');
  return /^(?:https?:|mailto:|#)/i.test(plain) || plain === '';
}

export function isInlinePicture(value: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/=\s]*$/.test(value);
}
