import { Link } from '@tanstack/react-router';
import { formatTime } from '../../../../lib/dates.ts';
import { formatNumber, pluralize } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { stageInverse, useSentRequests } from '../change-set-store.ts';
import type { SentRequest } from '../change-set-store.ts';

/** Requests saved since the page was opened: values can be reverted, deleted entries link to their history. */
export function SentRequests({ typeId }: { typeId: number }) {
  const sent = useSentRequests(typeId);
  if (sent.length === 0) return null;
  return (
    <section className="review-sent" aria-label="Saved">
      <h3>Saved</h3>
      <ul>
        {sent.map((request) => {
          if (request.deletions.length > 0)
            return <SentDeletions key={request.id} typeId={typeId} sent={request} />;
          const entries = new Set(request.cells.map(({ entryId }) => entryId));
          const isNew = [...entries].every((entryId) => entryId < 0);
          return (
            <li key={request.id}>
              <span>
                {pluralize(request.cells.length, 'change', 'changes')} in{' '}
                {pluralize(entries.size, 'entry', 'entries')}, {formatTime(request.sentAt)}
              </span>
              <Button
                size="small"
                disabledReason={isNew ? 'Delete new entries on their pages' : undefined}
                onClick={() => stageInverse(typeId, request)}
              >
                Undo
              </Button>
            </li>
          );
        })}
      </ul>
      <p>Undo stages the previous values as new changes to review.</p>
    </section>
  );
}

const MAX_NAMED = 20;

function SentDeletions({ typeId, sent: { deletions, sentAt } }: { typeId: number; sent: SentRequest }) {
  return (
    <li className="review-sent-deletions">
      <details>
        <summary>
          Deleted {pluralize(deletions.length, 'entry', 'entries')}, {formatTime(sentAt)}
        </summary>
        <ul>
          {deletions.slice(0, MAX_NAMED).map(({ entryId, entryName }) => (
            <li key={entryId}>
              <Link to="/entries/$type/$entryId" params={{ type: String(typeId), entryId }}>
                <bdi>{entryName}</bdi>
              </Link>
            </li>
          ))}
        </ul>
        {deletions.length > MAX_NAMED && <p>and {formatNumber(deletions.length - MAX_NAMED)} more</p>}
      </details>
    </li>
  );
}
