import type { Column } from './columns.ts';
import { layoutOf } from './layout.ts';

interface ColGroupProps<Row> {
  columns: readonly Column<Row>[];
  small: boolean;
  select: boolean;
  menu: boolean;
}

/** The widths of a table's columns. */
export function ColGroup<Row>({ columns, small, select, menu }: ColGroupProps<Row>) {
  const layout = layoutOf(columns, small);
  return (
    <colgroup>
      {select && <col style={{ width: layout.select }} />}
      {columns.map((column) => (
        <col key={column.id} style={{ width: small ? undefined : column.width }} />
      ))}
      {menu && <col style={{ width: layout.menu }} />}
    </colgroup>
  );
}
