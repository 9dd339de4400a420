import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { Banner } from '../feedback/Banner.tsx';
import { EmptyState } from '../feedback/EmptyState.tsx';
import { ErrorState } from '../feedback/ErrorState.tsx';
import type { Failure } from '../feedback/failure.ts';
import type { MenuItems } from '../menu/menu-items.ts';
import type { Column, RowId, Sort } from './columns.ts';
import { Grid } from './Grid.tsx';
import type { RowSource } from './row-source.ts';
import { SMALL, useMedia } from '../use-media.ts';
import { visibleColumns } from './columns.ts';
import { layoutOf } from './layout.ts';
import { ColGroup } from './ColGroup.tsx';
import { SkeletonCells } from './SkeletonCells.tsx';
import { TableHead } from './TableHead.tsx';
import '../form/check.css';
import './table.css';

export interface DataTableProps<Row> {
  /** What the rows are: "Users". */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined until the first answer. */
  rows: readonly Row[] | RowSource<Row> | undefined;
  /** Like columns, a module constant: it tells rows apart. */
  rowId: (row: Row) => RowId;
  /** The row's name, for its checkbox and its menu. */
  rowLabel: (row: Row) => string;
  rowMenu?: ((row: Row) => MenuItems) | undefined;
  hidden?: readonly string[];
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  /** With `onSelect`, rows can be selected. */
  selection?: ReadonlySet<RowId>;
  onSelect?: (next: ReadonlySet<RowId>) => void;
  refetching?: boolean;
  error?: Failure | null | undefined;
  onRetry?: () => void;
  /** An EmptyState: what this is, and the next step. */
  empty: ReactNode;
  /** Set while a filter or search is on; an empty table then offers this. */
  onClearFilters?: (() => void) | undefined;
  footer?: ReactNode;
  /** Told when the first row leaves the view and when it comes back. */
  onAway?: ((away: boolean) => void) | undefined;
}

/** The one table, in its five states: first load, rows (stale ones dimmed), error, empty, nothing matches. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, error, onRetry, refetching = false, label, footer } = props;
  return (
    <section className="tbl-card" aria-label={label}>
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
  if (rows === undefined) return <SkeletonGrid {...props} />;
  if (rows.length > 0) return <Grid {...props} rows={rows} />;
  if (!onClearFilters) return empty;
  return (
    <EmptyState title="Nothing matches" actions={<Button onClick={onClearFilters}>Clear filters</Button>}>
      No row has everything that is asked for.
    </EmptyState>
  );
}

const ROWS = Array.from({ length: 12 }, (_, at) => at);

/** The table before its first answer: the real header over rows of bars. */
function SkeletonGrid<Row>({
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
