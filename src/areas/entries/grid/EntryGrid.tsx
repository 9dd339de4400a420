import { Suspense, useEffect, useMemo, useState, useSyncExternalStore, useRef } from 'react';
import type { KeyboardEvent, PointerEvent, MouseEvent } from 'react';
import { useRouter } from '@tanstack/react-router';
import { cx } from '../../../ui/cx.ts';
import { later } from '../../../ui/later.ts';
import { useDensity } from '../../../ui/theme.ts';
import type { Density } from '../../../ui/theme.ts';
import { SMALL, useMedia } from '../../../ui/use-media.ts';
import { useChoose } from '../bulk/chosen.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { EntryRows } from '../model/rows.ts';
import type { RowOpen } from './EditCell.tsx';
import { GridHead } from './GridHead.tsx';
import { GridRow } from './GridRow.tsx';
import { actOf, GRID_KEYS } from './grid-keys.ts';
import { movedBy } from './keys.ts';
import type { PastMarks } from './marks.ts';
import { newIn, withNew } from './new-rows.ts';
import { barHeight, rowsAround } from './scroll.ts';
import type { Editing } from './sheet.ts';
import { createSlots } from './slots.ts';
import { SmallRow } from './SmallRow.tsx';
import { spanOf } from './spans.ts';
import { useTellStatus } from './status.ts';
import type { Pointed } from '../model/view.ts';
import { useCell } from './use-cell.ts';
import { useCellMenu } from './use-cell-menu.tsx';
import { useClipboard } from './use-clipboard.ts';
import { usePlace } from './use-place.ts';
import { usePointed } from './use-pointed.ts';
import type { PointedCell } from './use-pointed.ts';
import { useSheet } from './use-sheet.ts';
import type { OpenCell } from './use-sheet.ts';
import { dateNote } from '../model/dates.ts';
import { OWN_ZONE, useZone } from '../model/zone.ts';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import type { Shortcut } from '../../../app/shell/shortcuts.ts';
import { CELL_KEYS } from '../editing/cell-keys.ts';
import './grid.css';

const PasteDialog = later(() => import('./PasteDialog.tsx'));

export interface EntryGridProps {
  label: string;
  /** Name of the entry type in addresses. */
  type: string;
  rows: EntryRows;
  /** The first is the key. */
  columns: readonly EntryColumn[];
  /** So many columns stay at the side: the key at least. */
  frozen: number;
  sort: { field: string; descending: boolean };
  onSort: (name: string) => void;
  onResize: (name: string, width: number) => void;
  /** Puts a column before the one at a place; the key is at 0. */
  onPlace: (name: string, at: number) => void;
  /** Rows of the last question, while the next is being asked. */
  stale: boolean;
  editing: Editing;
  /** What the address points at. */
  pointed?: PointedCell | undefined;
  /** The address of a cell or a row of this list. */
  linkTo?: ((pointed: Pointed) => string) | undefined;
  /** The rows are those of a moment that is past. */
  past?: PastMarks | undefined;
}

// As `--row` in tokens.css: places are reckoned before a row is drawn.
const ROW: Record<Density, number> = { compact: 30, regular: 36, comfortable: 44 };
const SMALL_ROW = 60;
const HEAD = 35;
const DIGIT = 8;

/** The numbers of rows take as much room as the last one needs. */
const numberWidthOf = (total: number): number => 26 + Math.max(2, total.toLocaleString().length) * DIGIT;

/** The grid of entries: whatever its size, only what is in view is in the document (ARIA, "grid"). */
export function EntryGrid(props: EntryGridProps) {
  const { label, type, columns, stale, editing, past, pointed } = props;
  const added = newIn(editing.changes).join();
  const rows = useMemo(
    () => withNew(props.rows, added === '' ? [] : added.split(',').map(Number)),
    [props.rows, added],
  );
  const small = useMedia(SMALL);
  const density = useDensity();
  const rowHeight = small ? SMALL_ROW : ROW[density];
  const head = small ? 0 : HEAD;
  const numberWidth = numberWidthOf(rows.total);
  const widths = useMemo(
    () => columns.map(({ width }, at) => (at === 0 ? width + numberWidth : width)),
    [columns, numberWidth],
  );
  const { scroller, view, frozen, onScroll, reveal } = usePlace({
    rows: rows.total,
    rowHeight,
    head,
    widths,
    frozen: small ? 1 : props.frozen,
  });
  const { cell, go, focused } = useCell(scroller, view, reveal, rows.total);
  const [slots] = useState(createSlots);
  useSyncExternalStore(rows.subscribe, rows.turn);

  const around = rowsAround(view, view.height - head, rowHeight, rows.total);
  const { inView, firstSeen, lastSeen, first, last } = around;
  // Rows are read for what is in view, and that is known only once it has been drawn.
  useEffect(() => rows.want(firstSeen, lastSeen), [rows, firstSeen, lastSeen]);

  // The same columns are the same span, so that rows are drawn again only for what they show.
  const span = useMemo(
    () => spanOf(widths, frozen, view.left, view.width),
    [widths, frozen, view.left, view.width],
  );
  const width = widths.reduce((sum, one) => sum + one, 0);
  const current = {
    row: Math.min(cell.row, rows.total - 1),
    column: small ? 0 : Math.min(cell.column, columns.length - 1),
  };
  // Somewhere in view there is always a cell that Tab reaches.
  const stopRow = current.row >= first && current.row <= last ? current.row : firstSeen;
  const stopShown = current.column < frozen || (current.column >= span.first && current.column < span.end);
  const stopColumn = stopShown ? current.column : 0;

  const keptAt = widths.slice(0, current.column).reduce((sum, one) => sum + one, 0);
  const bounds = { rows: rows.total, columns: small ? 1 : columns.length, page: Math.max(1, inView - 2) };
  const sheet = useSheet({ rows, columns, editing, current, bounds, go, reveal });
  const { range: drawn } = sheet;
  useTellStatus({ rows, first: firstSeen, last: around.lastInView, cell: current, range: drawn });
  const isRows =
    drawn && (drawn.bottom > drawn.top || (drawn.left === 0 && drawn.right === columns.length - 1));
  useChoose(props.rows, rows, isRows ? drawn : undefined);
  useShownNew(added, () => reveal(rows.total - 1, 0));
  // What the address points at comes into the middle of the view.
  usePointed(pointed, (to) => {
    const column = small ? 0 : to.column;
    reveal(Math.min(rows.total - 1, to.row + Math.floor(inView / 2)), column);
    go({ row: to.row, column });
  });
  const { menu, onContextMenu } = useCellMenu({ rows, columns, type, current, linkTo: props.linkTo });
  const { pasting, donePasting, ...clipboard } = useClipboard({
    rows,
    columns,
    editing,
    range: sheet.target,
  });
  useGridKeys(small);
  const follow = useFollow();
  const note = useDateNotes();
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    // Keys of an editor are its own, and so are those of the list under it.
    if (!(event.target instanceof HTMLElement) || event.target.closest('.eg-editing')) return;
    if (!event.currentTarget.contains(event.target)) return;
    if (!small && sheet.pressed(event)) {
      event.preventDefault();
      return;
    }
    const act = actOf(event);
    const to = act === 'move' && movedBy(event, current, bounds);
    if (to) {
      event.preventDefault();
      sheet.moved();
      go(small && to.row < 0 ? { ...to, row: 0 } : to);
      return;
    }
    if (act === 'open' && event.target.matches('[data-row]')) {
      event.target.querySelector<HTMLAnchorElement>('a[href]')?.click();
    }
  };

  const openIn = ({ column, value, seed, misfit, refusal }: OpenCell): RowOpen => ({
    column,
    value,
    seed,
    misfit,
    refusal,
    schema: editing.schema,
    onCommit: sheet.commit,
    onMisfit: sheet.misfit,
    onCancel: () => sheet.close(undefined),
  });
  const inside = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  // The row that the keyboard is on stays in the document, so that the focus stays when it scrolls away.
  const away = current.row >= 0 && (current.row < first || current.row > last);
  const indices = away ? [...inside, current.row] : inside;
  const placed = slots.assign(indices);
  const tall = barHeight({ height: rows.total * rowHeight });
  return (
    <div
      ref={scroller}
      className="eg-scroll"
      onScroll={onScroll}
      data-scrolled={view.left > 0 ? '' : undefined}
      // Back brings the rows that were in view, where the application restores places.
      data-scroll-restoration-id={`entries ${type}`}
    >
      <table
        // A table whose cells take the focus is a grid (ARIA, "grid").
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        className={cx('eg', small && 'eg-small-rows', stale && 'eg-dim')}
        style={{
          width: small ? '100%' : width,
          height: tall + head,
        }}
        aria-label={label}
        aria-rowcount={rows.total + 1}
        aria-colcount={small ? 1 : columns.length + 1}
        aria-busy={stale}
        aria-multiselectable={!small}
        onKeyDown={pressed}
        onFocus={focused}
        onPointerOver={note}
        onClick={follow}
        onContextMenu={onContextMenu}
        onDragStart={(event) => event.preventDefault()}
        {...(!small && clipboard)}
        {...(!small && sheet.pointer)}
      >
        <GridHead
          {...props}
          {...{ span, frozen, numberWidth, small, width }}
          stop={current.row === -1 ? stopColumn : undefined}
          kept={current.row === -1 ? current.column : undefined}
          keptAt={keptAt}
        />
        <tbody className="eg-body">
          {placed.map(({ index, slot }) => {
            const y = Math.min(tall - rowHeight, index * rowHeight - view.top + view.bar);
            const stop = index === stopRow && current.row >= 0 ? stopColumn : undefined;
            const row = rows.at(index);
            const mark = row && past?.markOf(row);
            const isPointed = pointed !== undefined && row?.EntryId === pointed.entryId;
            const place = { row, index, y, type, columns, mark, isPointed, at: past?.at };
            const staged = row && editing.changes.cells.get(row.EntryId);
            const goes = row !== undefined && editing.changes.deletions.has(row.EntryId);
            if (small)
              return (
                <SmallRow
                  key={slot}
                  {...place}
                  {...{ staged, goes }}
                  zone={editing.zone}
                  isStop={stop !== undefined}
                />
              );
            const { range, open } = sheet;
            const isIn = range && index >= range.top && index <= range.bottom;
            return (
              <GridRow
                key={slot}
                {...place}
                {...{ span, frozen, numberWidth, stop, staged, goes, keptAt }}
                kept={index === current.row ? current.column : undefined}
                zone={editing.zone}
                refusal={editing.refusal}
                pointedAt={isPointed ? pointed.column : undefined}
                editing={staged || goes ? editing : undefined}
                left={isIn ? range.left : undefined}
                right={isIn ? range.right : undefined}
                open={open?.row === index && row?.EntryId === open.entry.EntryId ? openIn(open) : undefined}
              />
            );
          })}
        </tbody>
      </table>
      {menu}
      <Suspense>
        {pasting && <PasteDialog {...{ pasting, rows, columns, editing }} onClose={donePasting} />}
      </Suspense>
    </div>
  );
}

/** Tells a date in every zone once the pointer is over it: nobody reads hundreds of them while scrolling. */
function useDateNotes() {
  const { site } = useZone();
  return (event: PointerEvent) => {
    const time = event.target instanceof Element ? event.target.closest('time') : null;
    if (time) time.title = dateNote(time.dateTime, time.dataset.moment === 'day', site, OWN_ZONE);
  };
}

const KEYS: readonly Shortcut[] = [
  ...GRID_KEYS.map(({ keys, label }) => ({ keys, label, group: 'In the grid' })),
  ...CELL_KEYS.map((key) => ({ ...key, group: 'In a cell that is open' })),
];
// A phone has rows of one cell.
const NO_KEYS: readonly Shortcut[] = [];

/** Puts the keys of the grid on the cheat sheet, while it is on the page. */
const useGridKeys = (small: boolean): void => useShortcut(small ? NO_KEYS : KEYS);

/** Shows what was added where it stands, also once what tells of it has taken its room; the focus stays. */
function useShownNew(added: string, reveal: () => void): void {
  const shown = useRef(added);
  useEffect(() => {
    const isMore = added.length > shown.current.length;
    shown.current = added;
    if (!isMore) return undefined;
    const timer = setTimeout(reveal, 50);
    return () => clearTimeout(timer);
    // What is new is all that this is about.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [added]);
}

/** Follows plain links of the grid within the console; with a key held down the browser opens them as it does others. */
function useFollow() {
  const router = useRouter();
  return (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const href = link?.getAttribute('href');
    if (href?.startsWith('/') !== true) return;
    event.preventDefault();
    void router.navigate({ href });
  };
}
