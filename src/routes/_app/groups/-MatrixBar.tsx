import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { Counts } from '../../../directory/facets.ts';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { Freshness } from './-Freshness.tsx';
import type { MatrixView } from './-matrix-view.ts';

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];

interface MatrixBarProps {
  view: MatrixView;
  show: (view: MatrixView) => void;
  type: (q: string) => void;
  settle: () => void;
  groups: readonly GroupInfoResponse[];
  counts: Counts | undefined;
}

/** Which people stand as rows, and which groups as columns. */
export function MatrixBar({ view, show, type, settle, groups, counts }: MatrixBarProps) {
  const options = (number: (group: GroupInfoResponse) => number | undefined) =>
    groups.map((group) => ({ value: String(group.id), label: group.name, count: number(group) }));
  return (
    <div className="matrix-bar">
      <TableBar tools={<Freshness />}>
        <SearchField
          label="Search people"
          placeholder="Name, e-mail, id:"
          value={view.q}
          onChange={type}
          onLeave={settle}
        />
        <FilterChip
          label="Status"
          options={STATUSES.map((option) => ({ ...option, count: counts?.status[option.value] ?? 0 }))}
          value={view.status}
          onChange={(status) => show({ ...view, status })}
        />
        <FilterChip
          label="Member of"
          options={options(({ id }) => counts?.group[String(id)] ?? 0)}
          value={view.member.map(String)}
          onChange={(member) => show({ ...view, member: member.map(Number) })}
        />
        <FilterChip
          label="Columns"
          options={options(({ userCount }) => userCount)}
          value={view.columns.map(String)}
          onChange={(columns) => show({ ...view, columns: columns.map(Number) })}
        />
      </TableBar>
    </div>
  );
}
