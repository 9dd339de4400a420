import { ArrowDownUp, Columns3, Rows3 } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { lazyWithPreload } from '../lazy.tsx';
import { MenuButton } from '../menu/MenuButton.tsx';
import { setDensity, useDensity } from '../theme.ts';
import type { Density } from '../theme.ts';
import { SMALL_SCREEN, useMedia } from '../use-media.ts';
import type { Column, Sort } from './columns.ts';
import type { TableLayout } from './table-layout.ts';
import './table-bar.css';

const ColumnsCard = lazyWithPreload(() => import('./ColumnsCard.tsx'));

/** Bar over a table: search and filter chips, then "as of" and the table's tools. */
export function TableBar({ children, tools }: { children: ReactNode; tools?: ReactNode }) {
  return (
    <div className="tbl-bar">
      <div className="tbl-bar-filters">{children}</div>
      {tools !== undefined && <div className="tbl-bar-tools">{tools}</div>}
    </div>
  );
}

/** Freshness of the rows as a text beside a dot. */
export function AsOf({ tone = 'ok', children }: { tone?: 'ok' | 'warn' | 'bad'; children: ReactNode }) {
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
