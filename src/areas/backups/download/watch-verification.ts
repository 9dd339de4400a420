import type { QueryClient } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { getCurrentIdentity, requireIdentity } from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { toast } from '../../../ui/toast.ts';
import { backupsQuery, toBackups } from '../model/backups.ts';
import type { Backup } from '../model/backups.ts';

const POLL_INTERVAL_MS = 1500;
const UNAVAILABLE_INTERVAL_MS = 5000;

const polling = new Set<string>();
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Polls a backup until `onUpdate` returns true, with undefined if the backup was deleted or the identity of the page has
 * changed: nothing begun while acting is continued in the user's own name. Does nothing if the backup is polled already.
 */
async function poll(fileName: string, client: QueryClient, onUpdate: (now: Backup | undefined) => boolean) {
  if (polling.has(fileName)) return;
  polling.add(fileName);
  const identity = getCurrentIdentity();
  try {
    for (;;) {
      // Requests are sequential.
      const now = await loadBackup(fileName, client, identity);
      if (now !== 'unavailable' && onUpdate(now)) return;
      await wait(now === 'unavailable' ? UNAVAILABLE_INTERVAL_MS : POLL_INTERVAL_MS);
    }
  } finally {
    polling.delete(fileName);
  }
}

/** Watches a verification and shows a message with its result. */
export const watchVerification = (fileName: string, client: QueryClient): Promise<void> =>
  poll(fileName, client, (now) => {
    const { state, message } = now?.verified ?? {};
    if (state === 'passed') toast({ title: 'The backup is verified', description: fileName });
    else if (state === 'failed')
      toast({
        title: `Verification failed: ${fileName}`,
        description: message ?? 'The contents differ',
        tone: 'bad',
      });
    return state !== 'queued' && state !== 'running';
  });

/** Loads a backup; undefined if it was deleted or is no longer visible, or if the page has another identity. */
async function loadBackup(
  fileName: string,
  client: QueryClient,
  identity: SessionIdentity | undefined,
): Promise<Backup | 'unavailable' | undefined> {
  try {
    requireIdentity(identity);
    const answer = await client.fetchQuery({
      queryKey: backupsQuery.queryKey,
      queryFn: backupsQuery.queryFn,
      staleTime: POLL_INTERVAL_MS / 2,
    });
    // Acting can end while the call is answered.
    requireIdentity(identity);
    return toBackups(answer).find((one) => one.fileName === fileName);
  } catch (error) {
    const { status } = toServiceError(error);
    return status === 0 || status === 429 || status >= 500 ? 'unavailable' : undefined;
  }
}
