/** Only the fields that are set: plans are JSON, which has no undefined. */
type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function optional<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
