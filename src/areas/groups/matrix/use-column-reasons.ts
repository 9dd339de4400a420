import { useMemo } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { useGroupCapabilities, useGroupReason } from '../model/group-capabilities.ts';

/** Why the cells of a group cannot be changed, by group; those that can are missing. */
export function useColumnReasons(columns: readonly { id: number }[]): ReadonlyMap<number, string> {
  const { reason } = useAllowed('assignGroups');
  const ids = useMemo(() => columns.map(({ id }) => id), [columns]);
  const given = useGroupCapabilities(ids);
  const holds = useGroupReason();
  const told = ids.map((id) => [id, reason ?? holds(given.get(id))] as const);
  const said = JSON.stringify(told);
  // The same reasons are the same map: every row follows it.
  // oxlint-disable-next-line react/exhaustive-deps
  return useMemo(() => new Map(told.flatMap(([id, why]) => (why === undefined ? [] : [[id, why]]))), [said]);
}
