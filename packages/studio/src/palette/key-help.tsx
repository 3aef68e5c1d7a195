import { KEYS } from '../key-table.ts';
import { Dialog } from '../parts/dialog.tsx';

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(({ key, then, about }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
              {then && ' then '}
              {then?.map((next) => (
                <kbd key={next}>{next}</kbd>
              ))}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="answers">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
