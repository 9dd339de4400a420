import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { TableName } from '../../../contract/generated/types.gen.ts';
import { TABLE_VIEW_CAPABILITIES } from '../../../contract/rules/table-views.ts';
import { hasAnyCapability, useSession } from '../../api/session.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import type { DataTableProps } from '../../ui/table/DataTable.tsx';
import { TableBar, TableTools } from '../../ui/table/TableBar.tsx';
import {
  saveHiddenColumns,
  saveTableLayout,
  useArrangedColumns,
  useHiddenColumns,
  useTableLayout,
} from '../../ui/table/use-table-layout.ts';
import { TableViews } from './TableViews.tsx';

interface ListTableProps<Row> extends DataTableProps<Row> {
  /** Name under which the views, columns and row height of the list are stored. */
  table: TableName;
  /** Search and filters over the rows. */
  filters?: ReactNode;
  /** What stands beside the tools of the columns, such as the age of the rows. */
  tools?: ReactNode;
  /**
   * Keeps the hidden columns in the address of the page. Without it this browser keeps them, and `hidden` names columns that the
   * page does not have at the moment.
   */
  onHide?: ((hidden: readonly string[]) => void) | undefined;
}

const NO_COLUMNS: readonly string[] = [];
const ignore = () => undefined;

/** A list of the console: the bar with saved views, filters, columns and row height over a `DataTable`. */
export function ListTable<Row>({ table, filters, tools, onHide, ...props }: ListTableProps<Row>) {
  const session = useSession();
  const { columns: all, hidden: givenHidden = NO_COLUMNS, sort, onSort } = props;
  const layout = useTableLayout(table);
  const stored = useHiddenColumns(table);
  const isInAddress = onHide !== undefined;
  const hidden = isInAddress ? givenHidden : stored;
  const available = useMemo(
    () => (isInAddress ? all : all.filter(({ id }) => !givenHidden.includes(id))),
    [all, givenHidden, isInAddress],
  );
  const columns = useArrangedColumns(available, layout);
  const hide = onHide ?? ((ids: readonly string[]) => saveHiddenColumns(table, ids));
  const { read } = TABLE_VIEW_CAPABILITIES[table];
  return (
    <>
      <TableBar
        tools={
          <>
            {tools}
            <TableTools
              columns={available}
              {...{ hidden, layout, sort }}
              onHide={hide}
              onLayout={(next) => saveTableLayout(table, next)}
              {...(onSort && { onSort })}
            />
          </>
        }
      >
        {hasAnyCapability(session, read) && (
          <TableViews {...{ table, hidden }} onHide={isInAddress ? ignore : hide} />
        )}
        {filters}
      </TableBar>
      <DataTable {...props} {...{ columns, hidden }} />
    </>
  );
}
