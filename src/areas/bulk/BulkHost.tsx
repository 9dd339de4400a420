import { useRouter } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { Suspense, useEffect, useMemo } from 'react';
import { useSession } from '../../api/session.ts';
import { openUndoFile } from '../../app/jobs/undo-files.ts';
import { usePaletteActionsOfPage } from '../../app/state/palette.ts';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';
import { bulkRequest } from './bulk-request.ts';

const BulkDialog = lazyWithPreload(() => import('./BulkDialog.tsx'));
const ChoiceDialog = lazyWithPreload(() => import('./ChoiceDialog.tsx'));

const close = () => bulkRequest.set(undefined);

/** Shows the dialogs that `openBulk` and `chooseBulk` open, and offers "Undo from file" in the palette. */
export function BulkHost() {
  const siteId = useSession().site.id;
  const router = useRouter();
  const request = useStore(bulkRequest);
  usePaletteActionsOfPage(
    useMemo(() => [{ label: 'Undo from file…', icon: Undo2, run: () => openUndoFile(siteId) }], [siteId]),
  );

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
