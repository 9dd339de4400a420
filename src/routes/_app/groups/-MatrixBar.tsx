import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { Counts } from '../../../directory/facets.ts';
import { count } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { Freshness } from './-Freshness.tsx';
import type { ColumnPart, MatrixView } from './-matrix-view.ts';

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
  inView: ColumnPart;
}

/** Which people stand as rows, and which groups as columns. */
export function MatrixBar({ view, show, type, settle, groups, counts, inView }: MatrixBarProps) {
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
          onChange={(columns) => show({ ...view, columns: columns.map(Number), part: 1 })}
        />
        {inView.parts > 1 && <Turning inView={inView} onShow={(part) => show({ ...view, part })} />}
      </TableBar>
    </div>
  );
}

interface TurningProps {
  inView: ColumnPart;
  onShow: (part: number) => void;
}

/** Turns through more columns than stand side by side; what is pending in those out of view stays. */
function Turning({ inView: { part, parts, first, last, of }, onShow }: TurningProps) {
  return (
    <div className="matrix-parts">
      <IconButton
        label="Columns before"
        icon={ChevronLeft}
        size="small"
        disabledReason={part === 1 ? 'These are the first' : undefined}
        onClick={() => onShow(part - 1)}
      />
      <output>
        Columns {count(first)}–{count(last)} of {count(of)}
      </output>
      <IconButton
        label="Columns after"
        icon={ChevronRight}
        size="small"
        disabledReason={part === parts ? 'These are the last' : undefined}
        onClick={() => onShow(part + 1)}
      />
    </div>
  );
}
