/** Tests in a frame what this browser enforces. */
const PATIENCE_MS = 10_000;

export type Guard = 'guarded' | 'unguarded' | 'unreachable';

export function probe(url: string): Promise<Guard> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.hidden = true;
  frame.src = url;
  return new Promise<Guard>((resolve) => {
    const patience = setTimeout(() => end('unreachable'), PATIENCE_MS);
    const listen = ({ source, data }: MessageEvent) => {
      if (source !== frame.contentWindow || data?.type !== 'woof:probe') return;
      end(data.guarded === true ? 'guarded' : 'unguarded');
    };
    const end = (guard: Guard) => {
      clearTimeout(patience);
      removeEventListener('message', listen);
      frame.remove();
      resolve(guard);
    };
    addEventListener('message', listen);
    document.body.append(frame);
  });
}
