import { useSyncExternalStore } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import type { EntryRows } from '../model/rows.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';

interface StaleRowsProps {
  rows: EntryRows;
  /** Why all of them could not be read anew. */
  error?: ServiceError | undefined;
  onAgain: () => void;
  pending: boolean;
}

/** Says above rows that are there why others, or newer ones, are not; nothing where they are. */
export function StaleRows({ rows, error, onAgain, pending }: StaleRowsProps) {
  // Rows in view are read while nothing around them is drawn anew.
  useSyncExternalStore(rows.subscribe, rows.turn);
  const broken = rows.failure();
  const why = error ?? broken;
  if (why === undefined) return null;
  return (
    <div className="tbl-stale">
      <Banner
        tone="warn"
        title={broken === undefined ? 'These entries may be out of date' : 'Some entries could not be read'}
        actions={
          <Button size="small" onClick={onAgain} pending={pending}>
            Try again
          </Button>
        }
      >
        {toServiceError(why).message}
      </Banner>
    </div>
  );
}
