import type { TableName, TableView } from '../../../contract/generated/types.gen.ts';
import { hasAnyCapability, useSession } from '../../api/session.ts';

export interface TableViewsProps {
  table: TableName;
  hidden: readonly string[];
  /** Stores the hidden columns of a view that is opened; a page that keeps them in its address ignores it. */
  onHide: (hidden: readonly string[]) => void;
}

/** Permissions of the user on the views of a table, with the reason if denied (contract, createTableView). */
export function useTableViewRights(table: TableName) {
  const session = useSession();
  const ownUserId = session.acting ? session.acting.principal.id : session.user.id;
  const sharing = {
    users: ['Manage Users'],
    licenses: ['Manage Licences'],
    activity: ['View Activity'],
    changes: ['Write Data', 'Manage Schema'],
  } as const;
  const canShare = hasAnyCapability(session, sharing[table]);
  const canChangeOthers = hasAnyCapability(session, ['Manage Settings']);
  return {
    isMine: ({ ownerId }: TableView) => ownerId === ownUserId,
    shareRefusal: canShare
      ? undefined
      : `You need the ${sharing[table].join(' or ')} capability to share views`,
    getChangeRefusal: ({ ownerId }: TableView) =>
      ownerId === ownUserId || canChangeOthers
        ? undefined
        : 'You need the Manage Settings capability to change a view shared by someone else',
  };
}
