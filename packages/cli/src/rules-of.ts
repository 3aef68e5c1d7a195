import type { Rules } from '@woof/policy';

/** Read at the first exec block: a YAML parser is heavy, and most processes run none. */
export function rulesOf(data: string): () => Promise<Rules | undefined> {
  let read: Promise<Rules | undefined> | undefined;
  return () => {
    read ??= import('./read-rules.ts').then(({ readRules }) => readRules(data));
    return read;
  };
}
