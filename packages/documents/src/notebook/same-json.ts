import type { Json } from '@woof/net';

/** Equal as JSON, whatever the order of keys. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return sortedText(a) === sortedText(b);
}

function sortedText(value: Json | undefined): string {
  return (
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([x], [y]) => (x < y ? -1 : 1)))
        : item,
    ) ?? ''
  );
}
