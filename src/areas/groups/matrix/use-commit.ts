import { useAllowed } from '../../../api/session.ts';
import { openBulk } from '../../bulk/index.ts';
import { pairsOf } from './pending.ts';
import type { Pending } from './pending.ts';

/** The one commit of everything pending, by the dry run that every change of many has. */
export function useCommit(pending: Pending, onBegin: () => void) {
  const put = useAllowed('assignGroups');
  const unassign = useAllowed('unassignGroups');
  return {
    reason: put.reason ?? unassign.reason,
    open: () =>
      openBulk({
        action: { kind: 'pairs', ...pairsOf(pending) },
        userIds: [...pending.keys()],
        onBegin,
      }),
  };
}
