import { History } from 'lucide-react';
import { Suspense, lazy, useState } from 'react';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { atEnd } from '../../../ui/at-end.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { useAttempt } from './attempts.ts';
import { countStaged } from './changes.ts';
import { discardAll } from './discard.ts';
import { useChanges, useSent } from './store.ts';
import './staged.css';

const ReviewPanel = lazy(async () => ({ default: (await import('./ReviewPanel.tsx')).ReviewPanel }));

/** What is staged for a type, and the way to review and save it; nothing while there is nothing. */
export function StagedBar({ typeId }: { typeId: number }) {
  const changes = useChanges(typeId);
  const sent = useSent(typeId);
  const { isPending, failed } = useAttempt(typeId);
  const [reviewing, setReviewing] = useState(false);
  const staged = countStaged(changes);
  const total = staged.cells + staged.deletions;
  if (total === 0 && sent.length === 0 && !reviewing) return null;
  return (
    <div ref={total > 0 ? atEnd : null} className="staged">
      {total > 0 && (
        <>
          <strong aria-live="polite">
            {[
              staged.cells > 0 &&
                `${counted(staged.cells, 'change', 'changes')} in ${counted(staged.entries, 'entry', 'entries')}`,
              staged.deletions > 0 && `${counted(staged.deletions, 'entry', 'entries')} to delete`,
            ]
              .filter(Boolean)
              .join(', ')}
            , not saved
          </strong>
          {changes.doubt && !isPending && <span className="staged-bad">perhaps saved already</span>}
          {isPending && <span>being saved</span>}
          {failed && changes.faults.size === 0 && <span className="staged-bad">not accepted</span>}
          {changes.faults.size > 0 && (
            <span className="staged-bad">{count(changes.faults.size)} refused</span>
          )}
          <Button size="small" onClick={() => void discardAll(typeId)}>
            Discard
          </Button>
          <Button size="small" variant="primary" onClick={() => setReviewing(true)}>
            Review and save
          </Button>
        </>
      )}
      {total === 0 && sent.length > 0 && (
        <IconButton label="What was saved" icon={History} size="small" onClick={() => setReviewing(true)} />
      )}
      {reviewing && (
        <Suspense>
          <ReviewPanel typeId={typeId} onClose={() => setReviewing(false)} />
        </Suspense>
      )}
    </div>
  );
}
