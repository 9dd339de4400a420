import { Skeleton } from '../feedback/Skeleton.tsx';
import type { Column } from './columns.ts';

const WIDTHS = ['72%', '54%', '84%', '62%', '46%'];

interface SkeletonCellsProps<Row> {
  columns: readonly Column<Row>[];
  index: number;
  select: boolean;
  menu: boolean;
}

/** The cells of a row that is not there yet: bars where words will stand. */
export function SkeletonCells<Row>({ columns, index, select, menu }: SkeletonCellsProps<Row>) {
  return (
    <>
      {select && (
        <td className="tbl-select">
          <Skeleton width="15px" />
        </td>
      )}
      {columns.map((column, at) => (
        <td key={column.id} className={column.align === 'end' ? 'tbl-end' : undefined}>
          <Skeleton width={WIDTHS[(index * 2 + at) % WIDTHS.length] ?? '60%'} />
        </td>
      ))}
      {menu && (
        <td className="tbl-menu">
          <Skeleton width="16px" />
        </td>
      )}
    </>
  );
}
