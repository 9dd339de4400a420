import { clockTime } from '../../lib/dates.ts';
import { counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { stageInverse, useSent } from './store.ts';

/** What was saved from this page since it was opened; each can be taken back as a new change. */
export function SentList({ typeId }: { typeId: number }) {
  const sent = useSent(typeId);
  if (sent.length === 0) return null;
  return (
    <section className="review-sent" aria-label="Saved">
      <h3>Saved</h3>
      <ul>
        {sent.map((one) => {
          const entries = new Set(one.cells.map(({ entryId }) => entryId));
          const isNew = [...entries].every((entryId) => entryId < 0);
          return (
            <li key={one.id}>
              <span>
                {counted(one.cells.length, 'change', 'changes')} in{' '}
                {counted(entries.size, 'entry', 'entries')}, {clockTime(one.at)}
              </span>
              <Button
                size="small"
                disabledReason={isNew ? 'New entries are deleted on their pages' : undefined}
                onClick={() => stageInverse(typeId, one)}
              >
                Undo
              </Button>
            </li>
          );
        })}
      </ul>
      <p>Undo stages what was there before, as new changes to review.</p>
    </section>
  );
}
