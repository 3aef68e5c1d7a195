/** Parts of the filter that no control shows: each can be seen and removed. */
import { said } from '../parts/said.ts';
import { query, setQuery } from '../router.ts';

const WORDS: Record<string, string> = {
  name: 'name',
  path: 'path',
  until: 'started before',
  ended_until: 'ended before',
  order: 'order',
  nested: 'nested runs',
};

const WORKLOAD = 'workload.';

export function FilterChips() {
  const set = [...query.value].filter(([name, value]) => value !== '' && wordOf(name) !== undefined);
  return set.map(([name, value]) => {
    const text = name.startsWith(WORKLOAD) ? `${wordOf(name)}=${value}` : `${wordOf(name)}: ${value}`;
    return (
      <button
        key={name}
        type="button"
        class="chip"
        aria-label={`Remove ${said(text)}`}
        onClick={() => setQuery({ [name]: '' })}
      >
        {said(text)} ×
      </button>
    );
  });
}

function wordOf(name: string): string | undefined {
  if (name.startsWith(WORKLOAD)) return name.slice(WORKLOAD.length);
  return Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
}
