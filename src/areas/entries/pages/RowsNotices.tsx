import { useSyncExternalStore } from 'react';
import type { QueryError } from '../../../../contract/rules/query/condition.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { EntryRows } from '../model/row-windows.ts';

interface StaleRowsProps {
  rows: EntryRows;
  /** Error of the last reload of the whole list. */
  error?: ServiceError | undefined;
  onRetry: () => void;
  isPending: boolean;
}

/** Warning above loaded rows that a reload or the load of further rows failed; nothing if neither did. */
export function StaleRows({ rows, error, onRetry, isPending }: StaleRowsProps) {
  // Loading visible rows does not render this component.
  useSyncExternalStore(rows.subscribe, rows.getVersion);
  const windowError = rows.getError();
  const shownError = error ?? windowError;
  if (shownError === undefined) return null;
  return (
    <div className="tbl-stale">
      <Banner
        tone="warn"
        title={
          windowError === undefined ? 'These entries may be out of date' : 'Some entries could not be loaded'
        }
        actions={
          <Button size="small" onClick={onRetry} pending={isPending}>
            Try again
          </Button>
        }
      >
        {toServiceError(shownError).message}
      </Banner>
    </div>
  );
}

interface InvalidFilterProps {
  errors: readonly QueryError[];
  onClear: () => void;
}

/** Replaces a list whose filter is invalid. */
export function InvalidFilter({ errors, onClear }: InvalidFilterProps) {
  return (
    <EmptyState
      title="This filter is not valid"
      actions={<Button onClick={onClear}>Clear the filter</Button>}
    >
      {errors.map(({ path, message }) => `${path}: ${message}`).join('. ')}
    </EmptyState>
  );
}
