import type { Capability, TableName } from '../../../contract/generated/types.gen.ts';
import { TABLE_VIEW_CAPABILITIES } from '../../../contract/rules/table-views.ts';
import { hasAnyCapability, useSession } from '../../api/session.ts';

interface OwnedView {
  ownerId: number;
}

/**
 * Permissions of the user on saved views, with the reason if denied.
 * @param share capabilities of which one lets a user share a view
 * @param changeOthers capability to change views that others share
 */
export function useViewRights(share: readonly Capability[], changeOthers: Capability) {
  const session = useSession();
  const ownUserId = session.acting ? session.acting.principal.id : session.user.id;
  const canChangeOthers = hasAnyCapability(session, [changeOthers]);
  return {
    isMine: ({ ownerId }: OwnedView) => ownerId === ownUserId,
    shareRefusal: hasAnyCapability(session, share)
      ? undefined
      : `You need the ${share.join(' or ')} capability to share views`,
    getChangeRefusal: ({ ownerId }: OwnedView) =>
      ownerId === ownUserId || canChangeOthers
        ? undefined
        : `You need the ${changeOthers} capability to change a view shared by someone else`,
  };
}

export interface TableViewsProps {
  table: TableName;
  hidden: readonly string[];
  /** Stores the hidden columns of a view that is opened; a page that keeps them in its address ignores it. */
  onHide: (hidden: readonly string[]) => void;
}

/** Permissions on the views of a table other than entries (contract, createTableView). */
export const useTableViewRights = (table: TableName) =>
  useViewRights(TABLE_VIEW_CAPABILITIES[table].share, 'Manage Settings');
