import { useQuery } from '@tanstack/react-query';
import { listOwnPrincipalsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { OwnPrincipal } from '../../api/generated/types.gen.ts';
import { useSession } from '../../api/session.ts';
import { createStore } from '../../ui/store.ts';

/** The open dialog "Work as …", and whom it begins with. */
export const workAs = createStore<{ userId: number | undefined } | undefined>(undefined);

/** Opens the dialog from anywhere. */
export const openWorkAs = (userId?: number): void => workAs.set({ userId });

const NOBODY: readonly OwnPrincipal[] = [];

/** For whom the person may act; nobody while they act: there are no chains (spec 2.3). */
export function useOwnPrincipals(): readonly OwnPrincipal[] {
  const { acting } = useSession();
  const { data } = useQuery({
    ...listOwnPrincipalsOptions(),
    enabled: acting === undefined,
    staleTime: 5 * 60_000,
  });
  return (acting === undefined && data) || NOBODY;
}
