/** Asks the user what a workbook may do. */
import type { Permission } from '@woof/documents/workbook';
import type { Ask, Facts } from '../shell-api.ts';
import { arm } from './arm.ts';
import { byId, foreign, make, stage } from './element.ts';
import type { Guard } from './probe.ts';
import { aboutOf, BOXED, UNGUARDED } from './words.ts';

/** What was granted; undefined if the workbook must not run. */
export function askPerson(facts: Facts, guard: Guard): Promise<Permission[] | undefined> {
  write(facts, guard);
  stage('prompt');
  byId('ask').focus();
  const run = byId<HTMLButtonElement>('run');
  const disarm = arm(run);
  return new Promise((resolve) => {
    const end = (granted: Permission[] | undefined) => {
      disarm();
      run.onclick = byId('leave').onclick = null;
      resolve(granted);
    };
    run.onclick = ({ isTrusted }) => {
      if (isTrusted) end(ticked());
    };
    byId('leave').onclick = () => end(undefined);
  });
}

function write(facts: Facts, guard: Guard): void {
  const { title, asks, together } = facts;
  byId('about').textContent = aboutOf(facts);
  byId('ask').replaceChildren('Run “', foreign(title || 'a page without a title'), '”?');
  byId('boxed').textContent = BOXED;
  byId('warning').textContent = UNGUARDED;
  byId('warning').hidden = guard === 'guarded';
  byId('legend').textContent = asks.length === 0 ? 'It asks for nothing.' : 'It asks to';
  byId('asked').replaceChildren(byId('legend'), ...asks.map(row));
  byId('together').textContent = together;
  byId('together').hidden = together === '';
}

function row({ permission, title, means: words, reason }: Ask): HTMLElement {
  const id = `asks-${permission}`;
  const box = make('input', { type: 'checkbox', id, value: permission, checked: true });
  box.setAttribute('aria-describedby', `${id}-means`);
  const means = make('div', { id: `${id}-means` }, make('p', {}, words));
  means.append(
    reason
      ? make('p', { className: 'reason' }, 'Its reason: “', foreign(reason), '”')
      : make('p', { className: 'reason' }, 'It gives no reason.'),
  );
  const label = make('label', { htmlFor: id, textContent: title });
  return make('div', { className: 'ask' }, box, label, make('span'), means);
}

function ticked(): Permission[] {
  const boxes = byId('asked').querySelectorAll<HTMLInputElement>('input:checked');
  return [...boxes].map(({ value }) => value as Permission);
}
