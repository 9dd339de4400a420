import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { Suspense, useEffect, useMemo } from 'react';
import { whenQuiet } from '../../api/query-client.ts';
import { holderOf } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { entryBulk } from '../entries/bulk/request.ts';
import { useOfferActions } from '../../app/palette/registry.ts';
import { later } from '../../ui/later.ts';
import { useStore } from '../../ui/store.ts';
import { openUndoFile } from './index.ts';
import { bulkRequest } from './request.ts';

const BulkDialog = later(() => import('./BulkDialog.tsx'));
const EntryBulkDialog = later(() => import('../entries/bulk/EntryBulkDialog.tsx'));
const ChoiceDialog = later(() => import('./ChoiceDialog.tsx'));

const close = () => {
  bulkRequest.set(undefined);
  entryBulk.set(undefined);
};

/** Does it once nothing is being read, but for somebody who has been followed by another meanwhile. */
function unlessLeft(client: QueryClient, act: () => Promise<void>): () => void {
  let isLeft = false;
  whenQuiet(client, () => {
    if (!isLeft) act().catch(() => undefined);
  });
  return () => {
    isLeft = true;
  };
}

/** Where `openBulk` appears; the shell mounts it once. It also brings back the jobs that a reload interrupted. */
export function BulkHost() {
  const client = useQueryClient();
  const session = useSession();
  const { userId, siteId, reportId } = holderOf(session);
  const router = useRouter();
  const shown = useStore(bulkRequest);
  const entries = useStore(entryBulk);
  useOfferActions(
    useMemo(() => [{ label: 'Undo from file…', icon: Undo2, run: () => openUndoFile(siteId) }], [siteId]),
  );

  // What is kept in the browser is read once, when somebody has come in and the page has what it needs.
  useEffect(
    () =>
      unlessLeft(client, async () => {
        const { offerKeptJobs } = await import('./resume.ts');
        await offerKeptJobs(client, { userId, siteId });
      }),
    [client, userId, siteId],
  );
  // What was staged in one name is not staged in another. Where more can be staged it is there before that.
  useEffect(() => {
    const keep = async () => {
      const { keepStaged } = await import('../entries/editing/kept.ts');
      await keepStaged({ userId, siteId, reportId }, client);
    };
    if (!router.state.location.pathname.startsWith('/entries')) return unlessLeft(client, keep);
    keep().catch(() => undefined);
    return undefined;
  }, [client, router, userId, siteId, reportId]);

  // Another page under an open dialog would be another context: it closes.
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && close()),
    [router],
  );

  if (!shown && !entries) return null;
  return (
    <Suspense>
      {entries && <EntryBulkDialog request={entries} onClose={close} />}
      {shown &&
        ('choose' in shown ? (
          <ChoiceDialog choice={shown} onClose={close} />
        ) : (
          <BulkDialog request={shown} onClose={close} />
        ))}
    </Suspense>
  );
}
