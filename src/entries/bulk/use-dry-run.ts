import { useCallback, useEffect, useState } from 'react';
import { toServiceError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import { counted } from '../../lib/numbers.ts';
import { announce } from '../../ui/feedback/live.ts';
import type { Schema } from '../schema.ts';
import type { BulkEdit } from './plan.ts';
import { dryRun } from './read.ts';
import type { BulkRequest, DryRun } from './read.ts';

interface Review {
  read: number;
  result: DryRun | undefined;
  error: ServiceError | undefined;
}

const BEGIN: Review = { read: 0, result: undefined, error: undefined };

/** Reads and plans while an edit is being reviewed; turning back or closing ends that. */
export function useDryRun(request: BulkRequest, edit: BulkEdit | undefined, schema: Schema) {
  const [state, setState] = useState(BEGIN);
  const [attempt, setAttempt] = useState(0);
  // A reading that can be given up is outside React; what it tells comes in as it goes.
  useEffect(() => {
    if (!edit) return undefined;
    const reading = new AbortController();
    const { signal } = reading;
    const tell = (next: Partial<Review>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...next }));
    };
    const read = async () => {
      try {
        const onRead = (entries: number) => tell({ read: entries });
        const result = await dryRun(request, edit, schema, { signal, onRead });
        tell({ result });
        if (!signal.aborted)
          announce(`${counted(result.changes.length, 'entry', 'entries')} would be changed`);
      } catch (thrown) {
        tell({ error: toServiceError(thrown) });
      }
    };
    void read();
    return () => reading.abort();
    // The schema may be read anew while the dialog is open; the dry run is of one moment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [request, edit, attempt]);

  const restart = useCallback(() => {
    setState(BEGIN);
    setAttempt((before) => before + 1);
  }, []);
  return { ...state, restart };
}
