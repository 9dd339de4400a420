import { SMALL, useMedia } from '../use-media.ts';
import { visibleColumns } from './columns.ts';
import type { DataTableProps } from './DataTable.tsx';
import { layoutOf } from './layout.ts';
import { ColGroup } from './ColGroup.tsx';
import { SkeletonCells } from './SkeletonCells.tsx';
import { TableHead } from './TableHead.tsx';

const ROWS = Array.from({ length: 12 }, (_, at) => at);

/** The table before its first answer: the real header over rows of bars. */
export function SkeletonGrid<Row>({
  columns: all,
  hidden = [],
  label,
  rowMenu,
  onSelect,
  sort,
}: DataTableProps<Row>) {
  const small = useMedia(SMALL);
  const columns = small ? all.slice(0, 1) : visibleColumns(all, hidden);
  const selecting = onSelect && { state: 'none' as const, toggleAll: () => undefined };
  return (
    <div className="tbl-scroll tbl-waiting">
      <output className="visually-hidden">Loading {label}</output>
      <table className="tbl" style={{ minWidth: layoutOf(columns, small).minWidth }} aria-hidden inert>
        <ColGroup
          columns={columns}
          small={small}
          select={onSelect !== undefined}
          menu={rowMenu !== undefined}
        />
        <TableHead {...{ columns, sort, selecting }} onSort={undefined} menu={rowMenu !== undefined} />
        <tbody>
          {ROWS.map((row) => (
            <tr key={row} className={small ? 'tbl-row tbl-row-small' : 'tbl-row'}>
              <SkeletonCells
                columns={columns}
                index={row}
                select={onSelect !== undefined}
                menu={rowMenu !== undefined}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
