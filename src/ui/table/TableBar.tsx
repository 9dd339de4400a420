import { ArrowDownUp, Columns3, ListFilter, Rows3 } from 'lucide-react';
import { Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../button/Button.tsx';
import { cx } from '../cx.ts';
import { lazyWithPreload } from '../lazy.tsx';
import { MenuButton } from '../menu/MenuButton.tsx';
import { setDensity, useDensity } from '../style/theme.ts';
import type { Density } from '../style/theme.ts';
import { SMALL_SCREEN, useMedia } from '../use-media.ts';
import type { Column, Sort } from './columns.ts';
import type { TableLayout } from './table-layout.ts';
import './table-bar.css';

const ColumnsCard = lazyWithPreload(() => import('./ColumnsCard.tsx'));

/**
 * Bar over a table: search and filter chips, then "as of" and the table's tools. On a phone the chips are behind one
 * button that names the number of active ones, so that the rows begin high on the screen.
 */
export function TableBar({ children, tools }: { children: ReactNode; tools?: ReactNode }) {
  const small = useMedia(SMALL_SCREEN);
  const [open, setOpen] = useState(false);
  const [activeCount, setActiveCount] = useState(0);
  const filters = useRef<HTMLDivElement>(null);
  const id = useId();
  // The chips belong to the pages, which render the bar again when a filter changes.
  useLayoutEffect(() => {
    setActiveCount(filters.current?.querySelectorAll('.filter-on').length ?? 0);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the chips are the children
  }, [children]);
  return (
    <div className={cx('tbl-bar', small && !open && 'tbl-bar-folded')}>
      {/* Hidden by the styles where there is only a search. */}
      {small && (
        <span className="tbl-bar-toggle">
          <Button icon={ListFilter} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            {activeCount > 0 ? `Filter (${activeCount})` : 'Filter'}
          </Button>
        </span>
      )}
      <div id={id} ref={filters} className="tbl-bar-filters">
        {children}
      </div>
      {tools !== undefined && <div className="tbl-bar-tools">{tools}</div>}
    </div>
  );
}

/** State of the rows as a text beside a dot. The age of data is shown by `DataAge` (src/app/freshness). */
export function AsOf({
  tone = 'ok',
  children,
}: {
  tone?: 'ok' | 'stale' | 'warn' | 'bad' | 'unknown';
  children: ReactNode;
}) {
  return (
    <span className={`as-of as-of-${tone} num`}>
      <span className="as-of-dot" aria-hidden />
      {children}
    </span>
  );
}

interface TableToolsProps<Row> {
  columns: readonly Column<Row>[];
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
  /** Order, widths and row height of this table; without it, the row height applies to all tables. */
  layout?: TableLayout;
  onLayout?: (layout: TableLayout) => void;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
}

const DENSITIES = [
  { density: 'compact', label: 'Compact' },
  { density: 'regular', label: 'Regular' },
  { density: 'comfortable', label: 'Comfortable' },
] as const;

/** Menus for columns and row height; on a phone, which has no header row, a sort menu instead. */
export function TableTools<Row>(props: TableToolsProps<Row>) {
  const { columns, hidden, onHide, sort, onSort, layout, onLayout } = props;
  const small = useMedia(SMALL_SCREEN);
  const [arranging, setArranging] = useState(false);
  const tools = useRef<HTMLSpanElement>(null);
  const density = useDensity();
  if (small) return onSort ? <SortMenu {...{ columns, sort, onSort }} /> : null;
  const hideable = columns.filter((column, at) => at > 0 && column.hideable !== false);
  const toggle = (id: string) =>
    onHide(hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]);
  const choose = (next: Density) =>
    layout && onLayout ? onLayout({ ...layout, density: next }) : setDensity(next);
  const arrange = { label: 'Order and width', onSelect: () => setArranging(true) };
  return (
    <>
      <span ref={tools} className="tbl-columns">
        <MenuButton
          label="Columns"
          icon={Columns3}
          items={[
            ...hideable.map(({ id, header }) => ({
              label: header,
              checked: !hidden.includes(id),
              onSelect: () => toggle(id),
            })),
            ...(onLayout && hideable.length > 0 ? (['line'] as const) : []),
            ...(onLayout ? [arrange] : []),
          ]}
        />
        <Suspense>
          {arranging && layout && onLayout && (
            <ColumnsCard
              {...{ columns, hidden, layout, onLayout }}
              anchor={tools}
              onClose={() => setArranging(false)}
            />
          )}
        </Suspense>
      </span>
      <MenuButton
        label="Row height"
        icon={Rows3}
        items={DENSITIES.map((one) => ({
          label: one.label,
          checked: one.density === density,
          isRadio: true,
          onSelect: () => choose(one.density),
        }))}
      />
    </>
  );
}

type SortMenuProps<Row> = Required<Pick<TableToolsProps<Row>, 'columns' | 'onSort'>> & {
  sort: Sort | undefined;
};

function SortMenu<Row>({ columns, sort, onSort }: SortMenuProps<Row>) {
  const oppositeDirection = sort?.direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <MenuButton
      label="Sort"
      icon={ArrowDownUp}
      items={columns
        .filter((column) => column.sortable)
        .map(({ id, header }) => ({
          label: header,
          hint: sort?.column === id ? `${sort.direction}; choose again to reverse` : undefined,
          checked: sort?.column === id,
          isRadio: true,
          onSelect: () =>
            onSort({ column: id, direction: sort?.column === id ? oppositeDirection : 'ascending' }),
        }))}
    />
  );
}
