import { Link } from '@tanstack/react-router';
import { clockTime } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { stageInverse, useSent } from './store.ts';
import type { Sent } from './store.ts';

/** What was saved from this page since it was opened: values are taken back as a new change, entries that are gone lead to their history. */
export function SentList({ typeId }: { typeId: number }) {
  const sent = useSent(typeId);
  if (sent.length === 0) return null;
  return (
    <section className="review-sent" aria-label="Saved">
      <h3>Saved</h3>
      <ul>
        {sent.map((one) => {
          if (one.gone.length > 0) return <GoneLine key={one.id} typeId={typeId} sent={one} />;
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

const MOST_NAMED = 20;

function GoneLine({ typeId, sent: { gone, at } }: { typeId: number; sent: Sent }) {
  return (
    <li className="review-gone">
      <details>
        <summary>
          Deleted {counted(gone.length, 'entry', 'entries')}, {clockTime(at)}
        </summary>
        <ul>
          {gone.slice(0, MOST_NAMED).map(({ entryId, entryName }) => (
            <li key={entryId}>
              <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId }}>
                <bdi>{entryName}</bdi>
              </Link>
            </li>
          ))}
        </ul>
        {gone.length > MOST_NAMED && <p>and {count(gone.length - MOST_NAMED)} more</p>}
      </details>
    </li>
  );
}
