import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useState, useSyncExternalStore, useRef, useLayoutEffect } from 'react';
import type { KeyboardEvent, PointerEvent, MouseEvent } from 'react';
import { flushSync } from 'react-dom';
import { moveCell } from '../../../ui/cell-navigation.ts';
import { cx } from '../../../ui/cx.ts';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import type { Shortcut } from '../../../ui/shortcuts/shortcuts.ts';
import { useDensity } from '../../../ui/style/theme.ts';
import type { Density } from '../../../ui/style/theme.ts';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import { usePublishSelection } from '../bulk/selected-rows.ts';
import { EDITOR_KEYS } from '../editing/editor/editor-props.ts';
import { preloadEditors } from '../editing/editor/Editor.tsx';
import type { GridEditing } from '../editing/grid-editing.ts';
import { getNewEntryIds, appendNewRows } from '../editing/new-rows.ts';
import type { PastComparison } from '../history/row-changes.ts';
import { formatDateTooltip } from '../model/dates.ts';
import type { EntryRows } from '../model/row-windows.ts';
import { useTimeZone } from '../model/zone.ts';
import type { CellAddress } from '../views/view.ts';
import { usePublishStatus } from './GridFoot.tsx';
import { GridHead } from './GridHead.tsx';
import type { ColumnActions } from './GridHead.tsx';
import { getAction, KEY_BINDINGS } from './key-bindings.ts';
import type { OpenCellState } from './row/GridCell.tsx';
import { GridRow } from './row/GridRow.tsx';
import { SmallRow } from './row/SmallRow.tsx';
import { useCellFocus, useScrollToTarget } from './use-cell-focus.ts';
import type { TargetCell } from './use-cell-focus.ts';
import { useCellMenu } from './use-cell-menu.tsx';
import { useClipboard } from './use-clipboard.ts';
import { useFileThumbnail } from './use-file-thumbnail.tsx';
import { useGridInteraction } from './use-grid-interaction.ts';
import type { OpenCell } from './use-grid-interaction.ts';
import { createRowSlots } from './viewport/row-slots.ts';
import {
  getScrollHeight,
  getVisibleRows,
  getColumnWindow,
  applyScroll,
  countFittingFrozen,
  getLeftToReveal,
  getTopToReveal,
  toScrollPosition,
} from './viewport/viewport.ts';
import type { ScrollPosition } from './viewport/viewport.ts';
import './grid.css';

const PasteDialog = lazyWithPreload(() => import('./PasteDialog.tsx'));

export interface EntryGridProps extends ColumnActions {
  label: string;
  /** Name of the entry type in URLs. */
  type: string;
  rows: EntryRows;
  /** Number of frozen columns, including the key column. */
  frozen: number;
  /** The rows belong to the previous query while the next is loading. */
  isStale: boolean;
  editing: GridEditing;
  /** The row or cell that the URL points at. */
  target?: TargetCell | undefined;
  /** URL of a row or cell of this list; undefined if the list has no such URLs. */
  linkTo?: ((address: CellAddress) => string) | undefined;
  /** Set if the rows are those of a time in the past. */
  past?: PastComparison | undefined;
}

// Same as `--row` in tokens.css: positions are computed before rows are rendered.
const ROW_HEIGHTS: Record<Density, number> = { compact: 30, regular: 36, comfortable: 44 };
const SMALL_ROW_HEIGHT = 60;
const HEAD_HEIGHT = 35;
const DIGIT_WIDTH = 8;

/** Width of the column of row numbers, which fits the last number. */
const getNumberWidth = (total: number): number =>
  26 + Math.max(2, total.toLocaleString().length) * DIGIT_WIDTH;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Virtualized, editable grid of entries (ARIA grid pattern): only visible rows and columns are in the document. */
export function EntryGrid(props: EntryGridProps) {
  const { label, type, columns, isStale, editing, past, target } = props;
  const newIds = getNewEntryIds(editing.changes).join();
  const rows = useMemo(
    () => appendNewRows(props.rows, newIds === '' ? [] : newIds.split(',').map(Number)),
    [props.rows, newIds],
  );
  const isSmall = useMedia(SMALL_SCREEN);
  const density = useDensity();
  const rowHeight = isSmall ? SMALL_ROW_HEIGHT : ROW_HEIGHTS[density];
  const headHeight = isSmall ? 0 : HEAD_HEIGHT;
  const numberWidth = getNumberWidth(rows.total);
  const widths = useMemo(
    () => columns.map(({ width }, index) => (index === 0 ? width + numberWidth : width)),
    [columns, numberWidth],
  );
  const { scroller, viewport, frozen, onScroll, reveal } = useViewport({
    rows: rows.total,
    rowHeight,
    headHeight,
    widths,
    maxFrozen: isSmall ? 1 : props.frozen,
  });
  const { cell, moveTo, onFocus } = useCellFocus(scroller, viewport, reveal, rows.total);
  const [slots] = useState(createRowSlots);
  useSyncExternalStore(rows.subscribe, rows.getVersion);

  const visibleRows = getVisibleRows(viewport, viewport.height - headHeight, rowHeight, rows.total);
  const { pageRows, firstVisible, lastVisible, first, last } = visibleRows;
  // Reported after rendering, since only then the visible range is known.
  useEffect(() => rows.setVisibleRange(firstVisible, lastVisible), [rows, firstVisible, lastVisible]);

  // Memoized, so that memoized rows render only when the visible columns change.
  const span = useMemo(
    () => getColumnWindow(widths, frozen, viewport.left, viewport.width),
    [widths, frozen, viewport.left, viewport.width],
  );
  const width = sum(widths);
  const current = {
    row: Math.min(cell.row, rows.total - 1),
    column: isSmall ? 0 : Math.min(cell.column, columns.length - 1),
  };
  // The tab stop is always a rendered cell.
  const tabStopRow = current.row >= first && current.row <= last ? current.row : firstVisible;
  const isColumnRendered =
    current.column < frozen || (current.column >= span.first && current.column < span.end);
  const tabStopColumn = isColumnRendered ? current.column : 0;

  const focusedColumnLeft = sum(widths.slice(0, current.column));
  const bounds = {
    rows: rows.total,
    columns: isSmall ? 1 : columns.length,
    pageRows: Math.max(1, pageRows - 2),
  };
  const interaction = useGridInteraction({ rows, columns, editing, current, bounds, moveTo, reveal });
  const { range, open } = interaction;
  usePublishStatus({
    rows,
    first: firstVisible,
    last: visibleRows.lastPartlyVisible,
    focusedCell: current,
    range,
  });
  const hasSelectedRows =
    range && (range.bottom > range.top || (range.left === 0 && range.right === columns.length - 1));
  usePublishSelection(props.rows, rows, hasSelectedRows ? range : undefined);
  useRevealNewRows(newIds, () => reveal(rows.total - 1, 0));
  // The target of the URL is scrolled to the middle of the view.
  useScrollToTarget(target, (to) => {
    const column = isSmall ? 0 : to.column;
    reveal(Math.min(rows.total - 1, to.row + Math.floor(pageRows / 2)), column);
    moveTo({ row: to.row, column });
  });
  const { menu, onContextMenu } = useCellMenu({ rows, columns, type, current, linkTo: props.linkTo });
  const { pendingPaste, closePaste, ...clipboard } = useClipboard({
    rows,
    columns,
    editing,
    range: interaction.selection,
  });
  useGridShortcuts(isSmall);
  const followLink = useLinkNavigation();
  const showDateTooltip = useDateTooltips();
  const { thumbnail, ...fileHover } = useFileThumbnail(rows, columns, past?.asOf);
  const handleKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Editors and the option lists under them handle their own keys.
    if (!(event.target instanceof HTMLElement) || event.target.closest('.eg-editing')) return;
    if (!event.currentTarget.contains(event.target)) return;
    if (!isSmall && interaction.handleKey(event)) {
      event.preventDefault();
      return;
    }
    const action = getAction(event);
    const to = action === 'move' && moveCell(event, current, bounds);
    if (to) {
      event.preventDefault();
      interaction.clearRange();
      moveTo(isSmall && to.row < 0 ? { ...to, row: 0 } : to);
      return;
    }
    if (action === 'open' && event.target.matches('[data-row]')) {
      event.target.querySelector<HTMLAnchorElement>('a[href]')?.click();
    }
  };

  const createOpenState = ({ column, value, seed, invalidInput, refusal }: OpenCell): OpenCellState => ({
    column,
    value,
    seed,
    invalidInput,
    refusal,
    schema: editing.schema,
    onCommit: interaction.commit,
    onInvalidInput: interaction.stageInvalidInput,
    onCancel: () => interaction.close(undefined),
  });
  const renderedIndexes = Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, offset) => first + offset,
  );
  // The focused row stays in the document when it scrolls away, so that it keeps the focus.
  const isFocusedRowAway = current.row >= 0 && (current.row < first || current.row > last);
  const assignedSlots = slots.assign(isFocusedRowAway ? [...renderedIndexes, current.row] : renderedIndexes);
  const scrollHeight = getScrollHeight({ height: rows.total * rowHeight });
  return (
    <div
      ref={scroller}
      className="eg-scroll"
      onScroll={onScroll}
      data-scrolled={viewport.left > 0 ? '' : undefined}
      // Identifies the scroll position that the router restores on Back.
      data-scroll-restoration-id={`entries ${type}`}
    >
      <table
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a table with focusable cells is a grid (ARIA)
        role="grid"
        className={cx('eg', isSmall && 'eg-small-rows', isStale && 'eg-stale')}
        style={{
          width: isSmall ? '100%' : width,
          height: scrollHeight + headHeight,
        }}
        aria-label={label}
        aria-rowcount={rows.total + 1}
        aria-colcount={isSmall ? 1 : columns.length + 1}
        aria-busy={isStale}
        aria-multiselectable={!isSmall}
        onKeyDown={handleKeyDown}
        onFocus={(event) => {
          preloadEditors();
          onFocus(event);
        }}
        onPointerOver={(event) => {
          showDateTooltip(event);
          fileHover.onPointerOver(event);
        }}
        onPointerLeave={fileHover.onPointerLeave}
        onClick={followLink}
        onContextMenu={onContextMenu}
        onDragStart={(event) => event.preventDefault()}
        {...(!isSmall && clipboard)}
        {...(!isSmall && interaction.pointerHandlers)}
      >
        <GridHead
          {...props}
          {...{ span, frozen, numberWidth, isSmall, width, focusedColumnLeft }}
          tabStop={current.row === -1 ? tabStopColumn : undefined}
          focusedColumn={current.row === -1 ? current.column : undefined}
        />
        <tbody className="eg-body">
          {assignedSlots.map(({ index, slot }) => {
            const y = Math.min(scrollHeight - rowHeight, index * rowHeight - viewport.top + viewport.bar);
            const tabStop = index === tabStopRow && current.row >= 0 ? tabStopColumn : undefined;
            const row = rows.at(index);
            const change = row && past?.getChange(row);
            const isTarget = target !== undefined && row?.EntryId === target.entryId;
            const staged = row && editing.changes.cells.get(row.EntryId);
            const isPendingDeletion = row !== undefined && editing.changes.deletions.has(row.EntryId);
            const rowProps = {
              row,
              index,
              y,
              type,
              columns,
              change,
              isTarget,
              staged,
              isPendingDeletion,
              zone: editing.zone,
              asOf: past?.asOf,
            };
            if (isSmall) return <SmallRow key={slot} {...rowProps} isTabStop={tabStop !== undefined} />;
            const isInRange = range && index >= range.top && index <= range.bottom;
            const isOpen = open?.row === index && row?.EntryId === open.entry.EntryId;
            return (
              <GridRow
                key={slot}
                {...rowProps}
                {...{ span, frozen, numberWidth, tabStop, focusedColumnLeft }}
                focusedColumn={index === current.row ? current.column : undefined}
                refusal={editing.refusal}
                targetColumn={isTarget ? target.column : undefined}
                editing={staged || isPendingDeletion ? editing : undefined}
                rangeLeft={isInRange ? range.left : undefined}
                rangeRight={isInRange ? range.right : undefined}
                open={isOpen ? createOpenState(open) : undefined}
              />
            );
          })}
        </tbody>
      </table>
      {menu}
      {thumbnail}
      <Suspense>
        {pendingPaste && <PasteDialog {...{ pendingPaste, rows, columns, editing }} onClose={closePaste} />}
      </Suspense>
    </div>
  );
}

/** Sets the tooltip of a date on hover; computing it for every rendered date would slow down scrolling. */
function useDateTooltips() {
  const { site, own } = useTimeZone();
  return (event: PointerEvent) => {
    const time = event.target instanceof Element ? event.target.closest('time') : null;
    if (time) time.title = formatDateTooltip(time.dateTime, time.dataset.moment === 'day', site, own);
  };
}

const GRID_SHORTCUTS: readonly Shortcut[] = [
  ...KEY_BINDINGS.map(({ keys, label }) => ({ keys, label, group: 'In the grid' })),
  ...EDITOR_KEYS.map((key) => ({ ...key, group: 'In an open cell' })),
];
// Rows have a single cell on small screens.
const NO_SHORTCUTS: readonly Shortcut[] = [];

/** Lists the keys of the grid among the keyboard shortcuts while it is on the page. */
const useGridShortcuts = (isSmall: boolean): void => useShortcut(isSmall ? NO_SHORTCUTS : GRID_SHORTCUTS);

/** Scrolls to new rows, after the bar of staged changes has appeared; the focus stays. */
function useRevealNewRows(newIds: string, reveal: () => void): void {
  const revealed = useRef(newIds);
  useEffect(() => {
    const hasMore = newIds.length > revealed.current.length;
    revealed.current = newIds;
    if (!hasMore) return undefined;
    const timer = setTimeout(reveal, 50);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-deps -- runs only when entries are added
  }, [newIds]);
}

/** Navigates plain links of the grid within the console; clicks with modifier keys are left to the browser. */
function useLinkNavigation() {
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

interface ViewportOptions {
  /** Number of rows. */
  rows: number;
  rowHeight: number;
  /** Height of the header, which covers the top of the view. */
  headHeight: number;
  widths: readonly number[];
  /** Number of columns to freeze if the view is wide enough. */
  maxFrozen: number;
}

interface Viewport extends ScrollPosition {
  left: number;
  width: number;
  height: number;
}

const INITIAL_VIEWPORT: Viewport = { top: 0, bar: 0, left: 0, width: 1000, height: 600 };

/** The visible part of the grid, and scrolling a cell into it. */
function useViewport({ rows, rowHeight, headHeight, widths, maxFrozen }: ViewportOptions) {
  const scroller = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState(INITIAL_VIEWPORT);
  const latest = useRef(INITIAL_VIEWPORT);
  const frame = useRef(0);
  const height = rows * rowHeight;
  const frozen = countFittingFrozen(widths, maxFrozen, viewport.width);

  const update = (next: Viewport) => {
    latest.current = next;
    setViewport(next);
  };
  const getExtent = () => ({ height, viewHeight: Math.max(rowHeight, latest.current.height - headHeight) });

  const onScroll = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = scroller.current;
      if (!element) return;
      const position = applyScroll(element.scrollTop, latest.current, getExtent());
      // Rendered in the same frame as the scroll: otherwise rows lag one frame behind and loading starts later.
      flushSync(() => update({ ...latest.current, ...position, left: element.scrollLeft }));
    });
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () =>
      update({ ...latest.current, width: element.clientWidth, height: element.clientHeight });
    // Measured at once, since the observer reports only after the target of the URL is scrolled to.
    if (element.clientHeight > 0) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // When the row height changes, the same rows stay visible.
  const lastRowHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    const before = lastRowHeight.current;
    lastRowHeight.current = rowHeight;
    const element = scroller.current;
    if (!element || before === rowHeight) return;
    const position = toScrollPosition((latest.current.top / before) * rowHeight, getExtent());
    update({ ...latest.current, ...position });
    element.scrollTop = position.bar;
    // oxlint-disable-next-line react/exhaustive-deps -- runs only when the row height changes
  }, [rowHeight]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  /** Scrolls a cell into view by the smallest distance. */
  const reveal = (row: number, column: number) => {
    const element = scroller.current;
    if (!element) return;
    const before = latest.current;
    const extent = getExtent();
    const top = row < 0 ? before.top : getTopToReveal(row, rowHeight, before.top, extent.viewHeight);
    const left = getLeftToReveal(widths, { column, frozen, left: before.left, viewWidth: before.width });
    const isNear = Math.abs(top - before.top) <= extent.viewHeight;
    const position = isNear ? { top, bar: before.bar + top - before.top } : toScrollPosition(top, extent);
    update({ ...before, ...position, left });
    element.scrollTo({ top: position.bar, left });
  };

  return { scroller, viewport, frozen, onScroll, reveal };
}
