import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import type { ChangeEvent, FocusEvent, KeyboardEvent, RefObject } from 'react';
import { Lock } from 'lucide-react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { rowHeight } from '../../../ui/table/layout.ts';
import { useArrivals } from '../../../ui/table/row-source.ts';
import type { RowSource } from '../../../ui/table/row-source.ts';
import { useDensity } from '../../../ui/theme.ts';
import { moveBy } from './matrix-keys.ts';
import type { Place } from './matrix-keys.ts';
import { MatrixRow } from './MatrixRow.tsx';
import { forget, toggle } from './pending.ts';
import type { Pending } from './pending.ts';
import { useColumnReasons } from './use-column-reasons.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import '../../../ui/table/table.css';
import './matrix.css';

// The head's height, as in matrix.css: rows are counted from under it.
const HEAD = 62;

interface MatrixGridProps {
  rows: RowSource<DirectoryRow>;
  columns: readonly GroupInfoResponse[];
  pending: Pending;
  onChange: (next: (now: Pending) => Pending) => void;
  onSetExactly: (person: DirectoryRow) => void;
}

/** The grid: arrows move between cells, Space changes one. Only rows in view are in the document. */
export function MatrixGrid({ rows, columns, pending, onChange, onSetExactly }: MatrixGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const height = rowHeight(useDensity(), false);
  const [at, setAt] = useState<Place>({ row: 0, column: 1 });
  const focusOn = useCellFocus(scroller);
  useArrivals(rows);
  const reasons = useColumnReasons(columns);
  const last = columns.length + 1;
  const current = { row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, last) };
  // The compiler that this library confuses is not used.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    scrollPaddingEnd: HEAD,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), current.row])].toSorted((a, b) => a - b),
  });
  // The virtualiser keeps sizes; a new density makes them wrong.
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const items = virtualizer.getVirtualItems();
  // Somewhere in view there is always a cell that Tab reaches.
  const stop = items.some(({ index }) => index === current.row) ? current.row : items[0]?.index;

  const go = (to: Place) => {
    setAt(to);
    if (!focusOn(to)) virtualizer.scrollToIndex(to.row);
  };
  const focused = ({ target }: FocusEvent<HTMLElement>) => {
    const place = placeOf(target);
    if (place) setAt(place);
  };
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    // An open menu stands elsewhere in the document, but React hands its keys up to its row.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return;
    const page = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD) / height) - 1);
    const to = moveBy(event, current, { rows: rows.length, columns: last + 1, page });
    if (!to) return;
    event.preventDefault();
    go(to);
  };
  // One listener for all cells: rows are drawn again only for what they show.
  const changed = ({ target }: ChangeEvent<HTMLElement>) => {
    const place = placeOf(target);
    const group = place && columns[place.column - 1];
    const person = place && rows.at(place.row);
    if (!group || !person) return;
    const reason = reasons.get(group.id);
    if (reason === undefined) onChange((now) => toggle(now, person, group.id));
    else announce(reason);
  };
  const acts = useMemo(
    () => ({
      setExactly: onSetExactly,
      undo: ({ id }: DirectoryRow) => onChange((now) => forget(now, id)),
    }),
    [onChange, onSetExactly],
  );

  return (
    // Hears the keys of its cells, and of itself while a cell is still being drawn.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={scroller}
      className="tbl-scroll matrix-scroll"
      tabIndex={-1}
      onKeyDown={pressed}
      data-scroll-restoration-id="Matrix"
    >
      <table
        // Cells take the focus one by one and can be changed in place: that is a grid (ARIA, "grid").
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        className="tbl matrix"
        aria-label="People by groups"
        aria-rowcount={rows.length + 1}
        aria-colcount={last + 1}
      >
        <MatrixHead columns={columns} reasons={reasons} />
        {/* Listens for its cells. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <tbody onFocus={focused} onChange={changed}>
          {items.map((item, index) => {
            const row = rows.at(item.index);
            return (
              <Fragment key={row?.id ?? `at ${item.index}`}>
                <Spacer height={item.start - (items[index - 1]?.end ?? 0)} />
                <MatrixRow
                  row={row}
                  index={item.index}
                  columns={columns}
                  reasons={reasons}
                  wishes={row && pending.get(row.id)}
                  current={item.index === stop ? current.column : undefined}
                  acts={acts}
                />
              </Fragment>
            );
          })}
          <Spacer height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  );
}

function placeOf(element: Element): Place | undefined {
  const said = element.closest<HTMLElement>('[data-place]')?.dataset.place;
  const [row, column] = said?.split(':').map(Number) ?? [];
  return row === undefined || column === undefined ? undefined : { row, column };
}

function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : <tr aria-hidden style={{ height }} />;
}

/**
 * Moves the focus to a cell: at once where it is drawn, for the next key must find it there, else as soon as its
 * person has been read. Meanwhile the grid itself has the focus, so that no key is lost.
 */
function useCellFocus(grid: RefObject<HTMLElement | null>): (to: Place) => boolean {
  const wanted = useRef<Place>(undefined);
  const focusOn = ({ row, column }: Place): boolean => {
    const place = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    const cell = place?.matches('td') ? place.querySelector<HTMLElement>('button') : place;
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return cell !== null && cell !== undefined;
  };
  // Rows are drawn after the event that asked for them. Who has gone elsewhere meanwhile is not brought back.
  useEffect(() => {
    if (!wanted.current) return;
    if (document.activeElement !== grid.current || focusOn(wanted.current)) wanted.current = undefined;
  });
  return (to) => {
    wanted.current = undefined;
    if (focusOn(to)) return true;
    wanted.current = to;
    grid.current?.focus({ preventScroll: true });
    return false;
  };
}

interface MatrixHeadProps {
  columns: readonly GroupInfoResponse[];
  reasons: ReadonlyMap<number, string>;
}

/** The names of the groups; a lock where one may not give or take them. */
function MatrixHead({ columns, reasons }: MatrixHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className="tbl-first matrix-person" aria-colindex={1}>
          Name
        </th>
        {columns.map(({ id, name }, at) => (
          <th key={id} scope="col" className="matrix-group" aria-colindex={at + 2} title={name}>
            <span>{name}</span>
            {reasons.has(id) && (
              <Tooltip text={reasons.get(id) ?? ''}>
                <span className="matrix-lock">
                  <Lock />
                  <span className="visually-hidden">{reasons.get(id)}</span>
                </span>
              </Tooltip>
            )}
          </th>
        ))}
        <th scope="col" className="matrix-menu" aria-colindex={columns.length + 2}>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}
