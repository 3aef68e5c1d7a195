/** JSON Schema of the schedules that a document declares, the same in every kind of document. */
import { CATCH_UPS, LARGEST_PAYLOAD, OVERLAPS, SCHEDULE_DEFAULTS } from '@woof/net';
import { MOST_SCHEDULES, NAME, PRIORITIES } from './limits.ts';

export const schedulesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:woof:schedules:1.0',
  title: 'Schedules that a document declares',
  description: 'When a server starts the document after it has been registered there.',
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
        description: 'Distinguishes the schedules of a document that declares several.',
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
        description: 'The time zone of the cron expression, for example Europe/Berlin.',
      },
      catch_up: {
        enum: CATCH_UPS,
        default: SCHEDULE_DEFAULTS.catch_up,
        description: 'What happens to times that passed while no server was running.',
      },
      overlap: {
        enum: OVERLAPS,
        default: SCHEDULE_DEFAULTS.overlap,
        description: 'What happens at a due time while an earlier run is active.',
      },
      payload: {
        type: 'object',
        description: `Values that override the workload or the parameters of the document; at most ${LARGEST_PAYLOAD} bytes.`,
      },
      priority: {
        type: 'integer',
        minimum: PRIORITIES.least,
        maximum: PRIORITIES.most,
        description: 'Runs with a higher priority go first when workers are busy.',
      },
    },
  },
} as const;
