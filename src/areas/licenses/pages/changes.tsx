import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { NO_LICENSE, licenseName } from '../../../../contract/rules/licenses.ts';
import { markStale } from '../../../api/effects.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useDirectory } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import { changeLicense } from '../model/change-license.ts';
import { confirmNoLicense } from '../model/confirm-no-license.ts';

/** What was chosen in a row: it is on its way, or it was refused and stays until somebody decides. */
interface Chosen {
  to: number;
  error: ServiceError | undefined;
}

type All = ReadonlyMap<number, Chosen>;

interface Changes {
  subscribe: (listener: () => void) => () => void;
  all: () => All;
  /** Chooses a license for somebody and sends it. */
  choose: (row: DirectoryRow, to: number) => void;
  /** Gives a refused choice up. */
  discard: (userId: number) => void;
  /** Why nobody's license can be changed by this person. */
  reason: string | undefined;
  /** How many are billed now; undefined until everybody has been read. */
  billable: number | undefined;
}

const Context = createContext<Changes | undefined>(undefined);

function useSender(set: (userId: number, chosen: Chosen | undefined) => void) {
  const client = useQueryClient();
  const { mutateAsync } = useWrite('updateUserLicense', { mutationFn: changeLicense });
  return useCallback(
    async ({ id, name, licenseTypeId: from }: DirectoryRow, to: number) => {
      if (from === undefined || (to === NO_LICENSE && !(await confirmNoLicense(name)))) return;
      set(id, { to, error: undefined });
      try {
        await mutateAsync({ userId: id, from, to });
        set(id, undefined);
        toast({ title: `${name} has ${licenseName(to)}` });
      } catch (thrown) {
        const error = toServiceError(thrown);
        set(id, { to, error });
        // What is there now may be another license than the one on screen.
        await markStale(client, 'updateUserLicense');
      }
    },
    [client, mutateAsync, set],
  );
}

/** Holds what is being changed in the rows under it, and asks before it is left behind. */
export function LicenseChanges({ children }: { children: ReactNode }) {
  const { reason } = useAllowed('updateUserLicense');
  const { billable: billed, complete } = useDirectory();
  const billable = complete ? billed : undefined;
  const [store] = useState(() => createStore<All>(new Map()));
  const set = useCallback(
    (userId: number, chosen: Chosen | undefined) => {
      const next = new Map(store.get());
      if (chosen) next.set(userId, chosen);
      else next.delete(userId);
      store.set(next);
    },
    [store],
  );
  const send = useSender(set);
  // The same object as long as nothing in it changes: every cell of the table looks at it.
  const changes = useMemo<Changes>(
    () => ({
      subscribe: store.subscribe,
      all: store.get,
      choose: (row, to) => void send(row, to),
      discard: (userId) => set(userId, undefined),
      reason,
      billable,
    }),
    [store, send, set, reason, billable],
  );
  return (
    <Context value={changes}>
      <Guard store={store} />
      {children}
    </Context>
  );
}

function Guard({ store }: { store: ReturnType<typeof createStore<All>> }) {
  useUnsavedGuard(useStore(store).size > 0);
  return null;
}

function useChanges(): Changes {
  const changes = useContext(Context);
  if (!changes) throw new Error('Changes of licenses are held by LicenseChanges');
  return changes;
}

/** What is being changed about somebody; the cell that asks is drawn anew when that changes. */
export function useLicenseChange(userId: number) {
  const { subscribe, all, ...rest } = useChanges();
  return { ...rest, chosen: useSyncExternalStore(subscribe, () => all().get(userId)) };
}

/** Every choice that was refused and waits for somebody to decide. */
export function useRefusals() {
  const { subscribe, all, choose, discard } = useChanges();
  const now = useSyncExternalStore(subscribe, all);
  const refused = [...now].flatMap(([userId, { to, error }]) => (error ? [{ userId, to, error }] : []));
  return { refused, choose, discard };
}
