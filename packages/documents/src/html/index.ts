/** HTML from untrusted text. */
export { cleanHtml } from './clean-html.ts';
export { type Heading, renderMarkdown } from './render-markdown.ts';
