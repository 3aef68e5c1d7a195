/** Fields that several calls share, with their limits. */
import type { Json, JsonObject } from '@woof/net';
import { z } from 'zod';

export const MOST_LISTED = 1000;

/** One segment of a path; ids of nested executions grow with their depth. */
export const executionId = z.string().regex(/^[\w.-]{1,400}$/);
/** A path of the catalogue: `sales/orders`. */
export const path = z
  .string()
  .regex(/^[\w.-]+(\/[\w.-]+)*$/)
  .max(300);
/** For messages only; nothing is read from it. */
export const fileName = z
  .string()
  .regex(/^[^/\\\p{Cc}]{1,200}$/u)
  .describe('name of the file, used in messages');
export const jobId = z.string().min(1).max(1000);
export const name = z.string().min(1).max(200);

/**
 * A schema that checks less than the type says: for large values, and for values that only the program that wrote them
 * reads.
 */
export const partOf = <T>(schema: z.ZodType): z.ZodType<T, T> => schema as unknown as z.ZodType<T, T>;

/** Bodies are decoded JSON, so any value other than undefined is valid. */
export const json = partOf<Json>(z.unknown().refine((value) => value !== undefined));
export const object = partOf<JsonObject>(z.record(z.string(), z.unknown()));
export const labels = z.record(z.string().max(100), z.string().max(200));

/** Queries carry text. */
export const count = z.coerce.number().int().min(0);
export const limit = z.coerce.number().int().min(1).max(MOST_LISTED);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

export const diagnostic = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  line: z.number(),
  column: z.number(),
  endColumn: z.number().optional(),
  hint: z.string().optional(),
});
