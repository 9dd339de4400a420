import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { Counts } from '../../../directory/facets.ts';
import { clockTime } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
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
  directory: Directory;
  groups: readonly GroupInfoResponse[];
  counts: Counts | undefined;
}

/** Which people stand as rows, and which groups as columns. */
export function MatrixBar({ view, show, type, settle, directory, groups, counts }: MatrixBarProps) {
  const { asOf, complete, error, size } = directory;
  const options = (number: (group: GroupInfoResponse) => number | undefined) =>
    groups.map((group) => ({ value: String(group.id), label: group.name, count: number(group) }));
  return (
    <TableBar
      tools={
        <span className="matrix-fresh">
          {complete && asOf !== undefined && <AsOf tone={error ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
          {!complete && size !== undefined && <AsOf tone="warn">{count(size)} read</AsOf>}
        </span>
      }
    >
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
  );
}
