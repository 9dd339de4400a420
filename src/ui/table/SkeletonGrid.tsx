import { Skeleton } from '../feedback/Skeleton.tsx';
import { SMALL, useMedia } from '../use-media.ts';
import { visibleColumns } from './columns.ts';
import type { DataTableProps } from './DataTable.tsx';
import { layoutOf } from './layout.ts';
import { ColGroup } from './ColGroup.tsx';
import { TableHead } from './TableHead.tsx';

const ROWS = Array.from({ length: 12 }, (_, at) => at);
const WIDTHS = ['72%', '54%', '84%', '62%', '46%'];

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
    <div className="tbl-scroll">
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
              {onSelect && (
                <td className="tbl-select">
                  <Skeleton width="15px" />
                </td>
              )}
              {columns.map((column, at) => (
                <td key={column.id} className={column.align === 'end' ? 'tbl-end' : undefined}>
                  <Skeleton width={WIDTHS[(row * 2 + at) % WIDTHS.length] ?? '60%'} />
                </td>
              ))}
              {rowMenu && (
                <td className="tbl-menu">
                  <Skeleton width="16px" />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
