import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { formatCapabilities, useGroupCapabilities, useGrantCheck } from './group-capabilities.ts';

// Each group needs a request; on larger sites only chosen groups are loaded.
const MAX_PRELOADED_GROUPS = 60;

/** Group options, disabled if the user may not grant them, and the capabilities of the chosen ones. */
export function useGroupOptions(groups: readonly GroupInfoResponse[], selectedIds: readonly number[]) {
  const { reason } = usePermission('assignGroups');
  const ahead = groups.length <= MAX_PRELOADED_GROUPS ? groups.map(({ id }) => id) : selectedIds;
  const given = useGroupCapabilities(ahead);
  const holds = useGrantCheck();
  const options = groups
    .map(({ id, name }) => {
      const own = given.get(id);
      return {
        value: id,
        label: name,
        disabledReason: reason ?? holds(own),
        ...(own && { hint: formatCapabilities(own) || 'Grants no capabilities' }),
      };
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const together = formatCapabilities(selectedIds.flatMap((id) => given.get(id) ?? []));
  const gives = selectedIds.length === 0 ? undefined : `Grants: ${together || 'no capabilities'}.`;
  return { options, gives };
}
