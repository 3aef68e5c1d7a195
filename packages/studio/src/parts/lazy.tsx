/** Loads a component when it is first shown: its code is not part of the first load. */
import type { ComponentType, JSX } from 'preact';
import { useLoaded } from '../load.ts';
import { ask } from '../session.ts';
import { ProblemBox } from './problem.tsx';
import { Skeleton } from './skeleton.tsx';

export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  placeholder: () => JSX.Element | null = () => <Skeleton />,
): ComponentType<P> {
  let come: ComponentType<P> | undefined;
  const begin = async () => {
    come ??= await load().catch(() => loadFromHere(load));
    return { Shown: come ?? Outdated };
  };
  return function Lazy(props: P) {
    const { value, error, again } = useLoaded(begin, '');
    const Shown = come ?? value.value?.Shown;
    if (Shown !== undefined) return <Shown {...props} />;
    return error.value === undefined ? placeholder() : <ProblemBox error={error.value} again={again} />;
  };
}

/** Undefined: the server answers, but not with this file. It was probably updated since the page was opened. */
async function loadFromHere<T>(load: () => Promise<T>): Promise<T | undefined> {
  await ask('me.get');
  return load().catch(() => undefined);
}

function Outdated() {
  return (
    <div role="alert">
      <h1>This page must be reloaded</h1>
      <p>A part of it did not load. You may have opened the page before the server was updated.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}
