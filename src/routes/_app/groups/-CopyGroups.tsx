import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAllowed } from '../../../api/session.ts';
import type { Pair } from '../../../bulk/actions.ts';
import { openBulk } from '../../../bulk/index.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { useGroupCapabilities, useGroupReason } from '../users/-group-capabilities.ts';
import { copyingOf } from './-compare.ts';

interface CopyGroupsProps {
  from: DirectoryRow;
  to: DirectoryRow;
}

const list = new Intl.ListFormat('en');
const groupsIn = (pairs: readonly Pair[]) => counted(pairs.length, 'group', 'groups');

/** Copies groups from one person to the other: only what is missing, or so that both have the same. */
export function CopyGroups({ from, to }: CopyGroupsProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const put = useAllowed('assignGroups');
  const unassign = useAllowed('unassignGroups');
  const why = useReason(from, to);
  const { add, remove } = copyingOf(from, to);
  const names = (pairs: readonly Pair[]) =>
    list.format(
      pairs.map(({ groupId }) => groups.find(({ id }) => id === groupId)?.name ?? `Group ${groupId}`),
    );
  const start = (pairs: { add: Pair[]; remove: Pair[] }) =>
    openBulk({ action: { kind: 'pairs', ...pairs }, userIds: [to.id] });
  const nothing = `${to.name} is in all of them already`;
  return (
    <Card title={`Copy the groups of ${from.name} to ${to.name}`}>
      <CardRow
        title="Add what is missing"
        description={
          add.length === 0
            ? `${nothing}.`
            : `Adds ${names(add)}. Adding never takes anything away: ${to.name} keeps every other group.`
        }
        action={
          <Button
            disabledReason={put.reason ?? (add.length === 0 ? nothing : why(add))}
            onClick={() => start({ add, remove: [] })}
          >
            {add.length === 0 ? 'Add groups' : `Add ${groupsIn(add)}`}
          </Button>
        }
      />
      <CardRow
        title="Set exactly"
        description={
          remove.length === 0
            ? `${to.name} is in no group that ${from.name} is not in: adding what is missing is enough.`
            : `Afterwards ${to.name} is in the groups of ${from.name} and in no others. The interface knows no such call, so it is two: one adds ${add.length === 0 ? 'nothing' : names(add)}, one removes ${names(remove)}.`
        }
        action={
          <Button
            disabledReason={
              put.reason ??
              unassign.reason ??
              (remove.length === 0 ? 'There is nothing to remove' : why([...add, ...remove]))
            }
            onClick={() => start({ add, remove })}
          >
            Set exactly
          </Button>
        }
      />
    </Card>
  );
}

/** Why these groups may not all be given or taken. */
function useReason(from: DirectoryRow, to: DirectoryRow) {
  const together = useMemo(() => [...new Set([...from.groups, ...to.groups])], [from, to]);
  const given = useGroupCapabilities(together);
  const holds = useGroupReason();
  return (pairs: readonly Pair[]): string | undefined =>
    pairs.map(({ groupId }) => holds(given.get(groupId))).find((reason) => reason !== undefined);
}
