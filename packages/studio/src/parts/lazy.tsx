/** Loads a component when it is first shown: its code is not part of the first load. */
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { AGAIN_MS } from '../load.ts';
import { ask, isPassing } from '../session.ts';
import { ProblemBox } from './problem.tsx';
import { Skeleton } from './skeleton.tsx';

const OUTDATED = new Error('this page belongs to another version of Studio than the server');

export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  placeholder: () => JSX.Element | null = () => <Skeleton />,
): ComponentType<P> {
  const come = signal<ComponentType<P> | undefined>(undefined);
  const failed = signal<unknown>(undefined);
  /** While the server does not answer, asks again. */
  const begin = async () => {
    try {
      come.value = await load().catch(() => loadFromHere(load));
    } catch (error) {
      failed.value = error;
      if (error !== OUTDATED && isPassing(error)) setTimeout(() => void begin(), AGAIN_MS);
    }
  };
  return function Lazy(props: P) {
    const Shown = come.value;
    useEffect(() => {
      if (come.peek() === undefined) void begin();
    }, []);
    if (Shown !== undefined) return <Shown {...props} />;
    if (failed.value === undefined) return placeholder();
    return failed.value === OUTDATED ? <Outdated /> : <ProblemBox error={failed.value} />;
  };
}

/** A server that answers, but not with this file, was updated since the page was opened. */
async function loadFromHere<T>(load: () => Promise<T>): Promise<T> {
  await ask('me.get');
  return load().catch(() => {
    throw OUTDATED;
  });
}

function Outdated() {
  return (
    <div role="alert">
      <h1>The server was updated</h1>
      <p>This page was opened before, and cannot continue with the new version.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}
