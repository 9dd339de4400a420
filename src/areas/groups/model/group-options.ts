import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { namesOfCapabilities, useGroupCapabilities, useGroupReason } from './group-capabilities.ts';

// Each group is a call of its own; on a site with more, only those chosen are read.
const READ_AHEAD = 60;

/** Groups to choose from, those off that one may not give, and what the chosen ones give together. */
export function useGroupOptions(groups: readonly GroupInfoResponse[], chosen: readonly number[]) {
  const { reason } = useAllowed('assignGroups');
  const ahead = groups.length <= READ_AHEAD ? groups.map(({ id }) => id) : chosen;
  const given = useGroupCapabilities(ahead);
  const holds = useGroupReason();
  const options = groups
    .map(({ id, name }) => {
      const own = given.get(id);
      return {
        value: id,
        label: name,
        disabledReason: reason ?? holds(own),
        ...(own && { hint: namesOfCapabilities(own) || 'Gives no capabilities' }),
      };
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const together = namesOfCapabilities(chosen.flatMap((id) => given.get(id) ?? []));
  const gives = chosen.length === 0 ? undefined : `Gives: ${together || 'no capabilities'}.`;
  return { options, gives };
}
