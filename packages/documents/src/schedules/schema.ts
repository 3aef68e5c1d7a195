/** JSON Schema of the schedules that a document declares, the same in every kind of document. */
import { CATCH_UPS, LARGEST_PAYLOAD, OVERLAPS, SCHEDULE_DEFAULTS } from '@woof/net';
import { MOST_SCHEDULES, NAME, PRIORITIES } from './limits.ts';

export const schedulesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:woof:schedules:1.0',
  title: 'Schedules that a document declares',
  description: 'When a server starts the document, once it is registered there.',
  type: 'array',
  maxItems: MOST_SCHEDULES,
  items: {
    type: 'object',
    required: ['cron'],
    additionalProperties: false,
    properties: {
      name: {
        type: 'string',
        pattern: NAME.source,
        description: 'Tells several of one document apart.',
      },
      cron: {
        type: 'string',
        minLength: 1,
        description: 'minute hour day month weekday, or @hourly, @daily, …',
      },
      timezone: {
        type: 'string',
        minLength: 1,
        default: SCHEDULE_DEFAULTS.timezone,
        description: 'Whose clocks count, for example Europe/Berlin.',
      },
      catch_up: {
        enum: CATCH_UPS,
        default: SCHEDULE_DEFAULTS.catch_up,
        description: 'What becomes of times that passed while no server ran.',
      },
      overlap: {
        enum: OVERLAPS,
        default: SCHEDULE_DEFAULTS.overlap,
        description: 'What a time does while an earlier run goes on.',
      },
      payload: {
        type: 'object',
        description: `Laid over what the document declares to be given; at most ${LARGEST_PAYLOAD} bytes.`,
      },
      priority: {
        type: 'integer',
        minimum: PRIORITIES.least,
        maximum: PRIORITIES.most,
        description: 'Higher goes first where workers are short.',
      },
    },
  },
} as const;
