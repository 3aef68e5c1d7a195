/** Follows and folds one run, apart from the page, so that a long one never blocks it. */
import { Client } from '@woof/client/http';
import { type FromFeed, failureOf, type ToFeed } from './run/feed-messages.ts';
import { RunFeed } from './run/run-feed.ts';

const say = (message: FromFeed) => postMessage(message);
let feed: RunFeed | undefined;
let isSeen = true;

addEventListener('message', ({ data }: MessageEvent<ToFeed>) => {
  if (data.type === 'call') return void answer(data);
  isSeen = data.isSeen;
  if (data.type === 'open') void open(data.id);
  else feed?.see(isSeen);
});

async function open(id: string): Promise<void> {
  const opened = new RunFeed(new Client({ url: location.origin, token: undefined }), id, {
    head: (head) => say({ type: 'head', head }),
    away: (why) => say({ type: 'away', why }),
  });
  try {
    const plan = await opened.open();
    feed = opened;
    feed.see(isSeen);
    say({ type: 'opened', plan, head: opened.head });
    await opened.follow();
  } catch (error) {
    say({ type: 'failed', failure: failureOf(error) });
  }
}

async function answer({ call, name, args }: ToFeed & { type: 'call' }): Promise<void> {
  try {
    const asked = feed![name].bind(feed) as (...args: unknown[]) => Promise<unknown>;
    const value = await asked(...args);
    say({ type: 'answer', call, value });
  } catch (error) {
    say({ type: 'refusal', call, failure: failureOf(error) });
  }
}
