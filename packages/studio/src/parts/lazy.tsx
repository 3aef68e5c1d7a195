/** Loads a component when it is first shown: its code is not part of the first load. */
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ProblemBox } from './problem.tsx';
import { Skeleton } from './skeleton.tsx';

export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  placeholder: () => JSX.Element | null = () => <Skeleton />,
): ComponentType<P> {
  const come = signal<ComponentType<P> | undefined>(undefined);
  const failed = signal<unknown>(undefined);
  const begin = async () => {
    try {
      come.value = await load();
      failed.value = undefined;
    } catch (error) {
      failed.value = error;
    }
  };
  return function Lazy(props: P) {
    const Shown = come.value;
    useEffect(() => {
      if (come.peek() === undefined) void begin();
    }, []);
    if (Shown !== undefined) return <Shown {...props} />;
    return failed.value === undefined ? placeholder() : <ProblemBox error={failed.value} again={begin} />;
  };
}
