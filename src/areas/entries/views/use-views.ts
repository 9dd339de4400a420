import { useQuery } from '@tanstack/react-query';
import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { listViewsOptions } from '../../../api/generated/queries/views.gen.ts';
import { hasAnyCapability, useSession } from '../../../api/session.ts';

const NO_VIEWS: readonly SavedView[] = [];

/** The saved views of a type that the user can see; empty until `isLoaded`. */
export function useViews(typeId: number) {
  const { data, error } = useQuery(listViewsOptions({ path: { entryTypeId: String(typeId) } }));
  return { views: data ?? NO_VIEWS, isLoaded: data !== undefined, error };
}

/** Permissions of the user on saved views, with the reason if denied (contract, createView and updateView). */
export function useViewRights() {
  const session = useSession();
  const ownUserId = session.acting ? session.acting.principal.id : session.user.id;
  const canManageSchema = hasAnyCapability(session, ['Manage Schema']);
  const canShare = hasAnyCapability(session, ['Write Data', 'Manage Schema']);
  return {
    isMine: ({ ownerId }: SavedView) => ownerId === ownUserId,
    shareRefusal: canShare ? undefined : 'You need the Write Data or Manage Schema capability to share views',
    getChangeRefusal: ({ ownerId }: SavedView) =>
      ownerId === ownUserId || canManageSchema
        ? undefined
        : 'You need the Manage Schema capability to change a view shared by someone else',
  };
}
