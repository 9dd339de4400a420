import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRef } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { cx } from '../../../ui/cx.ts';
import { fitting, hasOrder } from '../model/columns.ts';
import type { EntryColumn } from '../model/columns.ts';
import { FieldIcon } from '../model/FieldIcon.tsx';
import { standsAtEnd } from '../model/values.ts';
import type { EntryGridProps } from './EntryGrid.tsx';
import { actOf } from './grid-keys.ts';
import { drawnIn, placesOf } from './spans.ts';
import type { Span } from './spans.ts';
import { useDrag } from './use-drag.ts';

interface GridHeadProps extends Pick<EntryGridProps, 'columns' | 'sort' | 'onSort' | 'onResize' | 'onPlace'> {
  span: Span;
  frozen: number;
  numberWidth: number;
  width: number;
  small: boolean;
  /** The column that Tab reaches, while the keyboard is on the header. */
  stop: number | undefined;
  /** The column that the keyboard is on stays drawn, with its focus, and where it stands. */
  kept: number | undefined;
  keptAt: number;
}

const keysWords = 'Alt and the left or right arrow key make it narrower or wider, with Shift they move it.';

/** The header: on a phone only for screen readers, since a row there has one cell. */
export function GridHead(props: GridHeadProps) {
  const { columns, sort, span, frozen, numberWidth, width, small, stop, kept, keptAt, ...acts } = props;
  const widths = columns.map((column) => column.width);
  const { drag, onPointerDown, ...pointer } = useDrag({ widths, frozen, numberWidth, onPlace: acts.onPlace });
  if (small)
    return (
      <thead className="visually-hidden">
        <tr aria-rowindex={1}>
          <th scope="col">{columns[0]?.field.name}</th>
        </tr>
      </thead>
    );
  const direction = sort.descending ? 'descending' : 'ascending';
  const places = placesOf(columns.slice(0, frozen), numberWidth);
  const isOut = (at: number) => at >= frozen && (at < span.first || at >= span.end);
  const cell = (column: EntryColumn, at: number) => (
    <HeadCell
      key={column.field.id}
      {...acts}
      {...{ column, at }}
      stays={places[at]}
      keptAt={isOut(at) ? keptAt : undefined}
      isDrawn={drag?.name === column.field.apiName}
      onDraw={at === 0 ? undefined : onPointerDown}
      isLast={at === frozen - 1}
      isStop={stop === at}
      sorted={sort.field === column.field.apiName ? direction : undefined}
    />
  );
  return (
    <thead className={cx('eg-head', drag && 'eg-head-drawing')} style={{ width }} {...pointer}>
      <tr aria-rowindex={1}>
        <th
          scope="col"
          className="eg-cell eg-head-cell eg-number"
          style={{ width: numberWidth }}
          aria-colindex={1}
        >
          <span className="visually-hidden">Row</span>
          <span id={HEAD_KEYS} hidden>
            {keysWords}
          </span>
        </th>
        {columns.slice(0, frozen).map(cell)}
        <td aria-hidden className="eg-gap" style={{ width: span.before }} />
        {drawnIn(span, kept, frozen).map((at) => {
          const column = columns[at];
          return column && cell(column, at);
        })}
        {drag && <td aria-hidden className="eg-drop" style={{ left: drag.x - 1 }} />}
      </tr>
    </thead>
  );
}

interface HeadCellProps {
  column: EntryColumn;
  /** Counted from 0, without the row numbers. */
  at: number;
  /** Where it stays while others scroll under it. */
  stays: number | undefined;
  /** Where it stands although its column is out of view. */
  keptAt: number | undefined;
  /** The last of those that stay. */
  isLast: boolean;
  /** Whether a pointer takes it elsewhere. */
  isDrawn: boolean;
  onDraw: ((event: PointerEvent<HTMLElement>, name: string) => void) | undefined;
  isStop: boolean;
  sorted: 'ascending' | 'descending' | undefined;
  onSort: (name: string) => void;
  onResize: (name: string, width: number) => void;
  onPlace: (name: string, at: number) => void;
}

const STEP = 16;
/** Says what the keys do on the head of a column; the grid has it once. */
const HEAD_KEYS = 'entry-grid-head-keys';

/** The head of a column: sorts, is drawn elsewhere, and wider at its edge; by keyboard with Alt and Shift and the arrows. */
function HeadCell(props: HeadCellProps) {
  const { column, at, stays, keptAt, isLast, isDrawn, isStop, sorted, onDraw, onSort, onResize, onPlace } =
    props;
  const { field, width } = column;
  const sortable = hasOrder(field);
  const Arrow = sorted === 'descending' ? ArrowDown : ArrowUp;
  const keyed = (event: KeyboardEvent) => {
    const act = actOf(event);
    if (act !== 'resize' && act !== 'place') return;
    event.preventDefault();
    event.stopPropagation();
    const by = event.key.endsWith('Right') ? 1 : -1;
    // To the right it comes to stand behind the next one.
    if (act === 'place') onPlace(field.apiName, by > 0 ? at + 2 : at - 1);
    else onResize(field.apiName, fitting(width + by * STEP));
  };
  return (
    <th
      scope="col"
      className={cx(
        'eg-cell eg-head-cell',
        stays !== undefined && 'eg-stays',
        keptAt !== undefined && 'eg-kept',
        isDrawn && 'eg-drawn',
        isLast && 'eg-stays-last',
        standsAtEnd(field) && 'eg-end',
      )}
      style={{ width, left: stays ?? keptAt }}
      aria-colindex={at + 2}
      aria-sort={sorted}
      title={`${field.name} (${field.apiName})`}
      tabIndex={-1}
    >
      <button
        type="button"
        className={cx('eg-sort', sorted && 'eg-sorted')}
        data-row={-1}
        data-column={at}
        tabIndex={isStop ? 0 : -1}
        aria-disabled={sortable ? undefined : true}
        aria-describedby={HEAD_KEYS}
        onKeyDown={keyed}
        onPointerDown={(event) => onDraw?.(event, field.apiName)}
        onClick={() => {
          if (sortable) onSort(field.apiName);
        }}
      >
        <FieldIcon field={field} />
        <span>{field.name}</span>
        {sortable && <Arrow className="eg-arrow" />}
      </button>
      <Edge width={width} onResize={(next) => onResize(field.apiName, next)} />
    </th>
  );
}

/** The edge that is drawn by a pointer; the keyboard has keys of its own for it. */
function Edge({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const from = useRef<{ x: number; width: number }>(undefined);
  return (
    <span
      className="eg-edge"
      aria-hidden
      onPointerDown={(event: PointerEvent) => {
        from.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (from.current) onResize(fitting(from.current.width + event.clientX - from.current.x));
      }}
      onPointerUp={() => {
        from.current = undefined;
      }}
    />
  );
}
