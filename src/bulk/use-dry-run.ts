import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { toServiceError } from '../api/errors.ts';
import type { ServiceError } from '../api/errors.ts';
import { useSession } from '../api/session.ts';
import { useDirectory } from '../directory/directory.ts';
import { announce } from '../ui/feedback/live.ts';
import type { BulkRequest } from './actions.ts';
import { dryRun } from './dry-run.ts';
import type { DryRun } from './dry-run.ts';
import { people } from './words.ts';

/** How far the reading is, and what comes of it. */
export interface Review {
  read: number;
  result: DryRun | undefined;
  error: ServiceError | undefined;
  retry: () => void;
}

const BEGIN = { read: 0, result: undefined, error: undefined };

/** Reads and plans while the dialog is open; closing it ends that. */
export function useDryRun(request: BulkRequest): Review {
  const client = useQueryClient();
  const session = useSession();
  const { size = 0 } = useDirectory();
  const [state, setState] = useState<Omit<Review, 'retry'>>(BEGIN);
  const [attempt, setAttempt] = useState(0);
  // A reading that can be given up is outside React; what it tells comes in as it goes.
  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    const tell = (next: Partial<Omit<Review, 'retry'>>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...next }));
    };
    const around = { client, session, size, signal };
    const read = async () => {
      try {
        const result = await dryRun(request, around, (done) => tell({ read: done }));
        tell({ result });
        if (!signal.aborted) announce(`${people(result.changes.length)} would be changed`);
      } catch (thrown) {
        tell({ error: toServiceError(thrown) });
      }
    };
    void read();
    return () => reading.abort();
    // The directory goes on while the dialog is open; the dry run is of one moment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [request, attempt]);

  const retry = useCallback(() => {
    setState(BEGIN);
    setAttempt((before) => before + 1);
  }, []);
  return { ...state, retry };
}
