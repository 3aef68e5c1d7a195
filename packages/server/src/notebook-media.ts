/** Notebooks by their own media type, for programs that send and fetch the text itself instead of JSON. */
import { Problem } from '@woof/protocol';
import type { FastifyInstance } from 'fastify';

export const NOTEBOOK_TYPE = 'application/vnd.woof.notebook+text';
/** Sent with the version of the format. */
export const NOTEBOOK_MEDIA = `${NOTEBOOK_TYPE}; version=1.0`;

/** The body of such a request is the text of a document. Its file name tells the compiler what it is. */
export function takeNotebooks(app: FastifyInstance): void {
  app.addContentTypeParser(NOTEBOOK_TYPE, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, { text: utf8(body as Buffer), file: 'notebook.woofnb' });
    } catch {
      done(new Problem('request/invalid', 'the notebook is not UTF-8'));
    }
  });
}

const utf8 = (bytes: Buffer) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

/** Whether the caller asks for the text. A caller that accepts anything gets JSON. */
export function wantsNotebook(accept: string | undefined): boolean {
  return (accept ?? '')
    .split(',')
    .some((range) => range.split(';', 1)[0]!.trim().toLowerCase() === NOTEBOOK_TYPE);
}
