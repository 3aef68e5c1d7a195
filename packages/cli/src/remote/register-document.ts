/** Registers a document at a server, and reports which schedules were added and removed with it. */
import type { Client } from '@woof/client';
import { Problem } from '@woof/protocol';
import type { AnswerOf, BodyOf } from '@woof/protocol/http';
import { scheduleLine } from '../schedule-line.ts';
import { UserError } from '../user-error.ts';

export async function registerDocument(
  client: Client,
  body: BodyOf<'documents.register'>,
): Promise<AnswerOf<'documents.register'>> {
  const kept = await client.call('documents.register', { body }).catch(explained);
  for (const schedule of kept.schedules) process.stderr.write(scheduleLine(schedule));
  for (const id of kept.removed_schedules)
    process.stderr.write(`schedule ${id} is removed: the document no longer declares it\n`);
  return kept;
}

/** Only a call can send a path beside the document. */
function explained(error: unknown): never {
  if (!(error instanceof Problem && /^the document has no usable metadata\.path/.test(error.message)))
    throw error;
  throw new UserError(
    'the document has no usable metadata.path, under which a server keeps it',
    'add one to the document, for example metadata: {path: sales/orders}',
  );
}
