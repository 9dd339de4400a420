import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { NO_LICENSE, getLicenseName } from '../../../../contract/rules/people/licenses.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { useDirectory } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import { changeLicense, confirmNoLicense } from '../model/change-license.ts';

/** Change chosen in a row: pending, or refused until the user decides. */
interface PendingChange {
  to: number;
  error: ServiceError | undefined;
}

type PendingChanges = ReadonlyMap<number, PendingChange>;

interface LicenseChangesApi {
  subscribe: (listener: () => void) => () => void;
  getAll: () => PendingChanges;
  /** Starts a change of a user's license. */
  choose: (row: DirectoryRow, to: number) => void;
  /** Discards a refused change. */
  discard: (userId: number) => void;
  /** Reason why licenses cannot be changed. */
  reason: string | undefined;
  /** Number of billable licenses; undefined until all users are loaded. */
  billable: number | undefined;
}

const Context = createContext<LicenseChangesApi | undefined>(undefined);

function useSendChange(set: (userId: number, change: PendingChange | undefined) => void) {
  const client = useQueryClient();
  const { mutateAsync } = useWrite('updateUserLicense', { mutationFn: changeLicense });
  return useCallback(
    async ({ id, name, licenseTypeId: from }: DirectoryRow, to: number) => {
      if (from === undefined || (to === NO_LICENSE && !(await confirmNoLicense(name)))) return;
      set(id, { to, error: undefined });
      try {
        await mutateAsync({ userId: id, from, to });
        set(id, undefined);
        toastUndoable({
          title: `${name} has ${getLicenseName(to)}`,
          subject: name,
          undone: `${name} has ${getLicenseName(from)} again`,
          revert: () => mutateAsync({ userId: id, from: to, to: from }),
        });
      } catch (thrown) {
        const error = toServiceError(thrown);
        set(id, { to, error });
        // The current license may differ from the one shown.
        await invalidateAfter(client, 'updateUserLicense');
      }
    },
    [client, mutateAsync, set],
  );
}

/** Provides pending changes to the rows, and asks before they are left behind. */
export function LicenseChanges({ children }: { children: ReactNode }) {
  const { reason } = usePermission('updateUserLicense');
  const { billable: billed, complete } = useDirectory();
  const billable = complete ? billed : undefined;
  const [store] = useState(() => createStore<PendingChanges>(new Map()));
  const set = useCallback(
    (userId: number, change: PendingChange | undefined) => {
      const next = new Map(store.get());
      if (change) next.set(userId, change);
      else next.delete(userId);
      store.set(next);
    },
    [store],
  );
  const send = useSendChange(set);
  // Stable while nothing changes, because every cell subscribes to it.
  const changes = useMemo<LicenseChangesApi>(
    () => ({
      subscribe: store.subscribe,
      getAll: store.get,
      choose: (row, to) => void send(row, to),
      discard: (userId) => set(userId, undefined),
      reason,
      billable,
    }),
    [store, send, set, reason, billable],
  );
  return (
    <Context value={changes}>
      <UnsavedGuard store={store} />
      {children}
    </Context>
  );
}

function UnsavedGuard({ store }: { store: ReturnType<typeof createStore<PendingChanges>> }) {
  useUnsavedGuard(useStore(store).size > 0);
  return null;
}

function useChanges(): LicenseChangesApi {
  const changes = useContext(Context);
  if (!changes) throw new Error('Changes of licenses are held by LicenseChanges');
  return changes;
}

/** Pending change of a user; re-renders only that cell. */
export function useLicenseChange(userId: number) {
  const { subscribe, getAll, ...rest } = useChanges();
  return { ...rest, chosen: useSyncExternalStore(subscribe, () => getAll().get(userId)) };
}

/** Refused changes that wait for a decision. */
export function useRefusedChanges() {
  const { subscribe, getAll, choose, discard } = useChanges();
  const now = useSyncExternalStore(subscribe, getAll);
  const refused = [...now].flatMap(([userId, { to, error }]) => (error ? [{ userId, to, error }] : []));
  return { refused, choose, discard };
}
