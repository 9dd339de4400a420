import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { OwnPrincipal } from '../../../contract/generated/types.gen.ts';
import type { ServiceError } from '../../api/errors.ts';
import { listOwnPrincipalsOptions, endActingMutation } from '../../api/generated/queries/proxies.gen.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { confirmLeave } from '../../ui/dialog/unsaved-work.ts';
import { createStore } from '../../ui/store.ts';
import { reloadPage, switchActing } from '../session/session.ts';
import { toastFailedWrite } from '../state/failed-write.ts';

/** State of the dialog "Work as …" with the preselected principal; undefined while it is closed. */
export const workAsDialog = createStore<{ userId: number | undefined } | undefined>(undefined);

/** Opens the dialog "Work as …". */
export const openWorkAsDialog = (userId?: number): void => workAsDialog.set({ userId });

const NO_PRINCIPALS: readonly OwnPrincipal[] = [];

/** Returns the users for whom the current user may act; empty while acting, as acting cannot be chained (spec 2.3). */
export function useOwnPrincipals(): readonly OwnPrincipal[] {
  const { acting } = useSession();
  const { data } = useQuery({
    ...listOwnPrincipalsOptions(),
    enabled: acting === undefined,
    staleTime: 5 * 60_000,
  });
  return (acting === undefined && data) || NO_PRINCIPALS;
}

/** Returns the action that stops acting; it asks first if input would be lost. */
export function useStopActing() {
  const { mutateAsync, isPending, isSuccess } = useWrite('endActing', endActingMutation());
  const stop = useCallback(async () => {
    if (!(await confirmLeave())) return;
    await mutateAsync({}).then(
      (session) => switchActing(session, location.pathname),
      (thrown: ServiceError) => {
        // Acting had already ended.
        if (thrown.status === 409) reloadPage();
        else toastFailedWrite('Working as someone else', 'stopped', thrown);
      },
    );
  }, [mutateAsync]);
  // Pending until the page has reloaded.
  return { stop, pending: isPending || isSuccess };
}
