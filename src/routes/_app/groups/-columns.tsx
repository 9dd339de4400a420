import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { capabilities } from '../../../../contract/rules/capabilities.ts';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { capabilitiesOf, groupQuery } from '../../../directory/groups.ts';
import { count } from '../../../lib/numbers.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import './-groups.css';

/** What a group gives, in words; read when its row comes into view, once. */
function Gives({ groupId }: { groupId: number }) {
  const { data, isError } = useQuery(groupQuery(groupId));
  if (isError) return <span className="groups-none">Not loaded</span>;
  if (!data) return <Skeleton width="70%" />;
  const given = capabilitiesOf(data.data);
  const all = given.length === capabilities.length;
  const names = given.join(', ') || 'Nothing';
  return (
    <span className="groups-gives" title={names}>
      <small className="num">{given.length}</small>
      <span>{all ? 'Everything' : names}</span>
    </span>
  );
}

/** The columns of the list; ids are the keys of its order. */
export const COLUMNS: readonly Column<GroupInfoResponse>[] = [
  {
    id: 'name',
    header: 'Name',
    sortable: true,
    minWidth: 200,
    cell: ({ id, name }, place) => (
      <Link
        to="/groups/$groupId"
        params={{ groupId: id }}
        tabIndex={place.tabIndex}
        title={name}
        className="groups-name"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    sortable: true,
    minWidth: 180,
    cell: ({ description }) => (
      <span className="groups-soft" title={description ?? undefined}>
        {description}
      </span>
    ),
  },
  {
    id: 'capabilities',
    header: 'Gives',
    sortable: true,
    minWidth: 240,
    small: 'line',
    cell: ({ id }) => <Gives groupId={id} />,
  },
  {
    id: 'members',
    header: 'Members',
    sortable: true,
    align: 'end',
    width: 110,
    small: 'aside',
    cell: ({ userCount }) => count(userCount),
  },
];
