import { History } from 'lucide-react';
import { Suspense, lazy, useState } from 'react';
import { formatNumber, pluralize } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { IconButton } from '../../../../ui/button/IconButton.tsx';
import { confirmDiscardChanges, useChangeSet, useSentRequests } from '../change-set-store.ts';
import { countStaged } from '../change-set.ts';
import { useSendState } from '../send.ts';
import './staged.css';

const ReviewPanel = lazy(async () => ({ default: (await import('./ReviewPanel.tsx')).ReviewPanel }));

/** Bar with the number of staged changes and the button to review and save them; empty without changes. */
export function StagedBar({ typeId }: { typeId: number }) {
  const changes = useChangeSet(typeId);
  const sent = useSentRequests(typeId);
  const { isPending, failure } = useSendState(typeId);
  const [isReviewing, setIsReviewing] = useState(false);
  const staged = countStaged(changes);
  const total = staged.cells + staged.deletions;
  if (total === 0 && sent.length === 0 && !isReviewing) return null;
  return (
    <div className="staged">
      {total > 0 && (
        <>
          <strong aria-live="polite">
            {[
              staged.cells > 0 &&
                `${pluralize(staged.cells, 'change', 'changes')} in ${pluralize(staged.entries, 'entry', 'entries')}`,
              staged.deletions > 0 && `${pluralize(staged.deletions, 'entry', 'entries')} to delete`,
            ]
              .filter(Boolean)
              .join(', ')}
            , not saved
          </strong>
          {changes.unconfirmed && !isPending && <span className="staged-bad">may be saved already</span>}
          {isPending && <span>saving</span>}
          {failure && changes.errors.size === 0 && <span className="staged-bad">refused</span>}
          {changes.errors.size > 0 && (
            <span className="staged-bad">{formatNumber(changes.errors.size)} refused</span>
          )}
          <Button size="small" onClick={() => void confirmDiscardChanges(typeId)}>
            Discard
          </Button>
          <Button size="small" variant="primary" onClick={() => setIsReviewing(true)}>
            Review and save
          </Button>
        </>
      )}
      {total === 0 && sent.length > 0 && (
        <IconButton label="Saved changes" icon={History} size="small" onClick={() => setIsReviewing(true)} />
      )}
      {isReviewing && (
        <Suspense>
          <ReviewPanel typeId={typeId} onClose={() => setIsReviewing(false)} />
        </Suspense>
      )}
    </div>
  );
}
