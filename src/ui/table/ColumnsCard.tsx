import { ArrowDown, ArrowUp, Minus, Plus } from 'lucide-react';
import type { RefObject } from 'react';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import PopoverCard from '../menu/PopoverCard.tsx';
import type { Column } from './columns.ts';
import { arrangeColumns, MAX_WIDTH_PX, MIN_WIDTH_PX, WIDTH_STEP_PX } from './table-layout.ts';
import type { TableLayout } from './table-layout.ts';
import './columns-card.css';

type ColumnInfo = Pick<Column<never>, 'id' | 'header' | 'width' | 'minWidth'>;

interface ColumnsCardProps {
  columns: readonly ColumnInfo[];
  hidden: readonly string[];
  layout: TableLayout;
  onLayout: (layout: TableLayout) => void;
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

/** Width of a column that has none of its own when a user changes it, in pixels. */
const INITIAL_WIDTH_PX = 200;

/** Order and widths of the visible columns, changed with buttons. */
export default function ColumnsCard({
  columns,
  hidden,
  layout,
  onLayout,
  anchor,
  onClose,
}: ColumnsCardProps) {
  const arranged = arrangeColumns(columns, layout).filter(({ id }, at) => at === 0 || !hidden.includes(id));
  const ids = arranged.map(({ id }) => id);
  const move = (at: number, by: -1 | 1) => {
    const order = ids.slice(1);
    const [moved] = order.splice(at - 1, 1);
    if (moved !== undefined) order.splice(at - 1 + by, 0, moved);
    onLayout({ ...layout, order });
  };
  const resize = ({ id, width, minWidth }: ColumnInfo, by: number) => {
    const next = (width ?? minWidth ?? INITIAL_WIDTH_PX) + by;
    const limited = Math.min(Math.max(next, MIN_WIDTH_PX), MAX_WIDTH_PX);
    onLayout({ ...layout, widths: { ...layout.widths, [id]: limited } });
  };
  return (
    <PopoverCard label="Order and width of columns" anchor={anchor} onClose={onClose}>
      <ol className="columns-card">
        {arranged.map((column, at) => (
          <li key={column.id}>
            <span>{column.header}</span>
            <IconButton
              size="small"
              icon={ArrowUp}
              label={`Move ${column.header} up`}
              disabledReason={at <= 1 ? 'It cannot move further up' : undefined}
              onClick={() => move(at, -1)}
            />
            <IconButton
              size="small"
              icon={ArrowDown}
              label={`Move ${column.header} down`}
              disabledReason={at === 0 || at === ids.length - 1 ? 'It cannot move further down' : undefined}
              onClick={() => move(at, 1)}
            />
            <IconButton
              size="small"
              icon={Minus}
              label={`Narrow ${column.header}`}
              onClick={() => resize(column, -WIDTH_STEP_PX)}
            />
            <span className="columns-width num">
              {column.width === undefined ? 'auto' : `${column.width} px`}
            </span>
            <IconButton
              size="small"
              icon={Plus}
              label={`Widen ${column.header}`}
              onClick={() => resize(column, WIDTH_STEP_PX)}
            />
          </li>
        ))}
      </ol>
      <footer className="filter-foot">
        <Button
          variant="quiet"
          size="small"
          onClick={() => onLayout({ order: [], widths: {}, density: layout.density })}
        >
          Reset order and widths
        </Button>
      </footer>
    </PopoverCard>
  );
}
