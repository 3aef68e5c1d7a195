/** HTML from text that is not trusted. */
export { cleanHtml } from './clean-html.ts';
export { type Heading, renderMarkdown } from './render-markdown.ts';
