import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { runWhenIdle } from '../../api/query-client.ts';
import { getSessionIdentity } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';
import { entryBulkRequest } from './bulk/request.ts';
import { newEntryTypeId } from './editing/editor/new-entry.ts';

const EntryBulkDialog = lazyWithPreload(() => import('./bulk/EntryBulkDialog.tsx'));

const close = () => entryBulkRequest.set(undefined);
const closeAll = () => {
  close();
  newEntryTypeId.set(undefined);
};

/** Shows the dialog that `openEntryBulk` opens, and persists staged changes over a reload of the page. */
export function EntriesHost() {
  const client = useQueryClient();
  const { userId, siteId, reportId } = getSessionIdentity(useSession());
  const router = useRouter();
  const request = useStore(entryBulkRequest);

  // Staged changes belong to the user and principal who typed them. On a page of entries they are restored before
  // more can be staged, elsewhere when the page is idle.
  useEffect(() => {
    const restore = async () => {
      const { startPersistence } = await import('./editing/persist-changes.ts');
      await startPersistence({ userId, siteId, reportId }, client);
    };
    if (!router.state.location.pathname.startsWith('/entries')) return runWhenIdle(client, restore);
    restore().catch(() => undefined);
    return undefined;
  }, [client, router, userId, siteId, reportId]);

  // The dialog and the panel of a new entry belong to the page they were opened on.
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && closeAll()),
    [router],
  );

  return <Suspense>{request && <EntryBulkDialog request={request} onClose={close} />}</Suspense>;
}
