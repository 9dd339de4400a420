import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';
import { bulkRequest } from './bulk-request.ts';

const BulkDialog = lazyWithPreload(() => import('./BulkDialog.tsx'));
const ChoiceDialog = lazyWithPreload(() => import('./ChoiceDialog.tsx'));

const close = () => bulkRequest.set(undefined);

/** Shows the dialogs that `openBulk` and `chooseBulk` open. */
export function BulkHost() {
  const router = useRouter();
  const request = useStore(bulkRequest);

  // The dialog belongs to the page it was opened on.
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && close()),
    [router],
  );

  if (!request) return null;
  return (
    <Suspense>
      {'kind' in request ? (
        <ChoiceDialog choice={request} onClose={close} />
      ) : (
        <BulkDialog request={request} onClose={close} />
      )}
    </Suspense>
  );
}
