import { wb } from '@woof/workbook-runtime';
import { isEntries, KINDS, leftOf, sumsOf } from './budget.js';

const income = wb.state('income', 2000);
const entries = wb.state('entries', [], { check: isEntries });
const changed = wb.state('changed', new Date(Number.NaN));
const sums = wb.state.derived('sums', () => sumsOf(entries.get()));
wb.state.derived('left', () => leftOf(income.get(), sums.get()));

const find = (selector) => document.querySelector(selector);

function change(next) {
  wb.state.batch(() => {
    entries.set(next);
    changed.set(new Date());
  });
}

const make = (tag, ...inside) => {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
};

function row(entry) {
  const remove = make('button', 'Remove');
  remove.onclick = () => change(entries.get().filter((other) => other !== entry));
  const cells = [entry.what, entry.kind, entry.amount.toFixed(2), remove].map((inside) => make('td', inside));
  cells[2].className = 'number';
  return make('tr', ...cells);
}

wb.state.effect(() => find('#entries').replaceChildren(...entries.get().map(row)));
wb.state.effect(() => {
  const spent = [...sums.get()].filter(([, sum]) => sum > 0);
  find('#kinds').replaceChildren(
    ...spent.flatMap(([kind, sum]) => [make('dt', kind), make('dd', sum.toFixed(2))]),
  );
});

const form = find('#add');
form.elements.kind.append(...KINDS.map((kind) => make('option', kind)));

// Hosts do not let forms be submitted, so a click or the Enter key adds the entry.
function add() {
  if (!form.reportValidity()) return;
  const { what, amount, kind } = form.elements;
  change([...entries.get(), { what: what.value, amount: amount.valueAsNumber, kind: kind.value }]);
  form.reset();
  what.focus();
}

form.querySelector('button').onclick = add;
form.onkeydown = (event) => {
  if (event.key !== 'Enter' || !event.target.matches('input')) return;
  event.preventDefault();
  add();
};

const tell = (text) => {
  find('#told').textContent = text;
};

find('#save').onclick = () => wb.share.save('budget.html').catch(({ message }) => tell(message));
find('#link').onclick = async () => {
  try {
    const link = await wb.share.link();
    history.replaceState(null, '', link.slice(link.indexOf('#')));
    tell('The address of this page now contains the budget.');
  } catch ({ message }) {
    tell(message);
  }
};

await wb.persist.bind(income, entries, changed);
// Without an address there is no link to share.
find('#link').hidden = !wb.can.link.ok;
