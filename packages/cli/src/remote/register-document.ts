/** Registers a document at a server, and reports which schedules were added and removed with it. */
import type { Client } from '@woof/client';
import type { AnswerOf, BodyOf } from '@woof/protocol/http';
import { scheduleLine } from '../schedule-line.ts';

export async function registerDocument(
  client: Client,
  body: BodyOf<'documents.register'>,
): Promise<AnswerOf<'documents.register'>> {
  const kept = await client.call('documents.register', { body });
  for (const schedule of kept.schedules) process.stderr.write(scheduleLine(schedule));
  for (const id of kept.removed_schedules)
    process.stderr.write(`schedule ${id} is removed: the document no longer declares it\n`);
  return kept;
}
