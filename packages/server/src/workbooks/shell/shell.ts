/**
 * The page around a workbook: asks for consent, shows the workbook, answers its calls and stops it. The workbook never
 * draws outside its frame.
 */
import type { Facts, Running } from '../shell-api.ts';
import { attend } from './broker.ts';
import { CallFailed, host } from './calls.ts';
import { byId, foreign, make, stage } from './element.ts';
import { probe } from './probe.ts';
import { askPerson } from './prompt.ts';
import { UNREACHABLE } from './words.ts';

async function open(): Promise<void> {
  const facts = await signedIn(() => host.facts());
  document.title = facts.title || 'Workbook';
  byId('title').replaceChildren(foreign(facts.title || 'A page without a title'));
  const guard = await probe(facts.probe);
  if (guard === 'unreachable') return stage('status', UNREACHABLE);
  const isNew = facts.asks.length > 0 && facts.granted === undefined;
  if (!isNew && (guard === 'guarded' || isAccepted(facts))) return show(await host.run(), facts);
  const permissions = await askPerson(facts, guard);
  if (permissions === undefined) return stage('status', 'The workbook was not run. You can close this page.');
  await host.grant({ permissions });
  if (guard === 'unguarded') accept(facts);
  // The click on Run would count as a gesture in the workbook for some seconds. After a reload it does not.
  location.reload();
}

const ACCEPTED = 'woof-accepted';

/** Whether the user agreed, in this tab, to run it although the browser cannot block everything. */
function isAccepted({ hash }: Facts): boolean {
  return sessionStorage.getItem(ACCEPTED) === hash;
}

function accept({ hash }: Facts): void {
  sessionStorage.setItem(ACCEPTED, hash);
}

/** If the host requires a token, asks for one until it is valid. */
async function signedIn<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CallFailed) || error.code !== 'token') throw error;
      await askToken();
    }
  }
}

function askToken(): Promise<void> {
  const form = byId<HTMLFormElement>('sign-in');
  stage('sign-in');
  byId('token').focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      host.signIn(byId<HTMLInputElement>('token').value.trim());
      resolve();
    };
  });
}

function show(running: Running, facts: Facts): void {
  const frame = document.createElement('iframe');
  // No windows, downloads or dialogs, and no access to the page around it.
  frame.setAttribute('sandbox', running.sandbox);
  frame.referrerPolicy = 'no-referrer';
  frame.allow = '';
  frame.title = facts.title || 'Workbook';
  const ended = new AbortController();
  attend(frame, running, ended.signal);
  // Shared state travels in the fragment.
  frame.src = `${running.url}${/^#wb=/.test(location.hash) ? location.hash : ''}`;
  stage('frame');
  byId('stage').append(frame);
  frame.focus();
  showGranted(running, facts, () => {
    ended.abort();
    frame.remove();
  });
}

function showGranted({ granted }: Running, facts: Facts, stop: () => void): void {
  const dialog = byId<HTMLDialogElement>('granted');
  const words = granted.length === 0 ? ['Compute and display. Nothing else was granted.'] : [];
  const asks = facts.asks.filter(({ permission }) => granted.includes(permission));
  const rows = asks.map(({ title, means }) => `${title}: ${means}`);
  byId('chips').replaceChildren(...asks.map(({ title }) => make('li', { textContent: title })));
  byId('granted-list').replaceChildren(
    ...[...words, ...rows].map((textContent) => make('li', { textContent })),
  );
  byId('hash').textContent = facts.hash;
  byId('revoke').hidden = granted.length === 0;
  byId('details').hidden = false;
  byId('details').onclick = () => dialog.showModal();
  byId('close').onclick = () => dialog.close();
  byId('revoke').onclick = async () => {
    dialog.close();
    stop();
    byId('chips').replaceChildren();
    byId('details').hidden = true;
    await host.revoke();
    stage(
      'status',
      'The workbook was stopped and its permissions are revoked. Reload this page to be asked again.',
    );
  };
}

open().catch((error: unknown) => {
  stage('status', error instanceof Error ? error.message : 'The workbook cannot be opened.');
});
