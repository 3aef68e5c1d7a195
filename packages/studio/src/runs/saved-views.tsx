/** Filters that a person keeps under a name, in this browser. */
import { signal, useSignal } from '@preact/signals';
import { query } from '../router.ts';
import { VIEWS } from './run-filter.ts';

const views = signal<Record<string, string>>(read());

function read(): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(VIEWS) ?? '{}');
    const entries = Object.entries(kept ?? {}).filter(([, value]) => typeof value === 'string');
    return Object.fromEntries(entries) as Record<string, string>;
  } catch {
    return {};
  }
}

function keep(next: Record<string, string>): void {
  views.value = next;
  localStorage.setItem(VIEWS, JSON.stringify(next));
}

export function SavedViews() {
  const name = useSignal('');
  const current = query.value.toString();
  const save = (event: Event) => {
    event.preventDefault();
    const called = name.value.trim();
    if (called === '') return;
    keep({ ...views.value, [called]: current });
    name.value = '';
  };
  const remove = (called: string) => {
    const { [called]: _, ...rest } = views.value;
    keep(rest);
  };
  return (
    <div class="views">
      {Object.entries(views.value).map(([called, filter]) => (
        <span key={called} class="view">
          <a href={`/runs?${filter}`} aria-current={filter === current ? 'true' : undefined}>
            {called}
          </a>
          <button
            type="button"
            class="quiet"
            aria-label={`Forget the view ${called}`}
            onClick={() => remove(called)}
          >
            ×
          </button>
        </span>
      ))}
      {current !== '' && (
        <form onSubmit={save}>
          <label>
            <span class="sr">Name of the view</span>
            <input
              placeholder="save this view as…"
              value={name.value}
              onInput={(event) => {
                name.value = event.currentTarget.value;
              }}
            />
          </label>
        </form>
      )}
    </div>
  );
}
