import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { cx } from '../cx.ts';
import { Banner } from '../feedback/Banner.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import type { Failure } from '../feedback/failure.ts';
import { keepFocus } from '../keep-focus.ts';
import { SMALL_SCREEN, useMedia } from '../use-media.ts';
import { getVisibleColumns, getTableLayout } from './columns.ts';
import { Grid } from './Grid.tsx';
import type { GridProps } from './Grid.tsx';
import type { RowSource } from './row-source.ts';
import { ColumnWidths, SkeletonCells, TableHead } from './TableParts.tsx';
import '../form/check.css';
import './table.css';

export interface DataTableProps<Row> extends Omit<GridProps<Row>, 'rows'> {
  /** Undefined until the first result. */
  rows: readonly Row[] | RowSource<Row> | undefined;
  error?: Failure | null | undefined;
  onRetry?: () => void;
  /** An `EmptyState` for a table without rows. */
  empty: ReactNode;
  /** Set while a filter or search is active; offered by a table without matches. */
  onClearFilters?: (() => void) | undefined;
  footer?: ReactNode;
}

/** Table with its five states: first load, rows (dimmed while refetching), error, empty, no matches. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, error, onRetry, refetching = false, label, footer } = props;
  return (
    <section className="tbl-card" aria-label={label} tabIndex={-1}>
      {error && rows && (
        <div className="tbl-stale">
          <Banner
            tone="warn"
            title="These rows may be out of date"
            actions={
              <Button size="small" onClick={onRetry} pending={refetching}>
                Try again
              </Button>
            }
          >
            {error.message}
          </Banner>
        </div>
      )}
      <Content {...props} />
      {footer !== undefined && <footer className="tbl-footer">{footer}</footer>}
    </section>
  );
}

function Content<Row>(props: DataTableProps<Row>) {
  const { rows, error, onRetry, refetching = false, label, empty, onClearFilters } = props;
  if (rows === undefined && error) {
    return (
      <ErrorState
        title={`${label} could not be loaded`}
        onRetry={onRetry}
        retrying={refetching}
        requestId={error.requestId}
      >
        {error.message}
      </ErrorState>
    );
  }
  if (rows === undefined) return <SkeletonTable {...props} />;
  if (rows.length > 0) return <Grid {...props} rows={rows} />;
  if (!onClearFilters) return empty;
  return (
    <EmptyState
      title="Nothing matches"
      actions={
        <Button ref={keepFocus} onClick={onClearFilters}>
          Clear filters
        </Button>
      }
    >
      No row matches the search and filters.
    </EmptyState>
  );
}

const SKELETON_ROWS = Array.from({ length: 12 }, (_, at) => at);

/** Table before its first result: the real header over skeleton rows. */
function SkeletonTable<Row>({
  columns: all,
  hidden = [],
  label,
  rowMenu,
  onSelect,
  sort,
  twoLines = false,
}: DataTableProps<Row>) {
  const small = useMedia(SMALL_SCREEN);
  const columns = small ? all.slice(0, 1) : getVisibleColumns(all, hidden);
  const extras = { select: onSelect !== undefined, menu: rowMenu !== undefined };
  const { minWidth } = getTableLayout(columns, small, extras);
  const selecting = onSelect && { state: 'none' as const, toggleAll: () => undefined };
  return (
    <div className="tbl-scroll tbl-waiting">
      <output className="visually-hidden">Loading {label}</output>
      <table className={cx('tbl', twoLines && 'tbl-two-lines')} style={{ minWidth }} aria-hidden inert>
        <ColumnWidths
          columns={columns}
          small={small}
          select={onSelect !== undefined}
          menu={rowMenu !== undefined}
        />
        <TableHead {...{ columns, sort, selecting }} onSort={undefined} menu={rowMenu !== undefined} />
        <tbody>
          {SKELETON_ROWS.map((row) => (
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
