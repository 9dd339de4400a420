import { useSyncExternalStore, useEffect, useMemo, useRef, useState } from 'react';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { toServiceError } from '../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import type { Cell, CellRange } from '../../../ui/cell-navigation.ts';
import { countCells } from '../../../ui/cell-navigation.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import { toast } from '../../../ui/toast.ts';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import { getShownValue } from '../editing/grid-editing.ts';
import type { GridEditing } from '../editing/grid-editing.ts';
import type { EntryColumn } from '../model/columns.ts';
import { formatDateTooltip } from '../model/dates.ts';
import { getFullRange, loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';
import { WINDOW_ROWS } from '../model/row-windows.ts';
import { useShowsAllZones, useTimeZone } from '../model/zone.ts';
import { NO_TOTALS, addTotals, formatTotals } from './totals.ts';
import type { CellTotals } from './totals.ts';

/** Visible rows, focused cell and selection of the grid. */
interface GridStatus {
  rows: EntryRows;
  /** Index of the first visible row. */
  first: number;
  last: number;
  focusedCell: Cell;
  range: CellRange | undefined;
}

// A store rather than page state, so that scrolling renders only the footer.
const gridStatusStore = createStore<GridStatus | undefined>(undefined);

/** Status of the grid; undefined while there is no grid. */
const useGridStatus = (): GridStatus | undefined => useStore(gridStatusStore);

/** Publishes the status of the grid for its footer. */
export function usePublishStatus({ rows, first, last, focusedCell, range }: GridStatus): void {
  const { row, column } = focusedCell;
  const { top, bottom, left, right } = range ?? {};
  useEffect(() => {
    const isRange = top !== undefined && bottom !== undefined && left !== undefined && right !== undefined;
    const selectedRange = isRange ? { top, bottom, left, right } : undefined;
    gridStatusStore.set({ rows, first, last, focusedCell: { row, column }, range: selectedRange });
  }, [rows, first, last, row, column, top, bottom, left, right]);
  useEffect(() => () => gridStatusStore.set(undefined), []);
}

interface GridFootProps {
  columns: readonly EntryColumn[];
  editing: GridEditing;
}

/** Footer of the grid: visible rows, latency, and totals of the selected cells. */
export function GridFoot({ columns, editing }: GridFootProps) {
  const small = useMedia(SMALL_SCREEN);
  const showsAllZones = useShowsAllZones();
  const status = useGridStatus();
  const range = status?.range && countCells(status.range) > 1 ? status.range : undefined;
  return (
    <span className="eg-foot">
      {status && (
        <span className="num">
          Rows {formatNumber(status.first + 1)}–{formatNumber(status.last + 1)} of{' '}
          {formatNumber(status.rows.total)}
        </span>
      )}
      {status && range ? (
        <RangeTotals {...{ columns, editing, range }} rows={status.rows} />
      ) : (
        <>
          {status && !small && (
            <>
              <Latency rows={status.rows} />
              <FocusedDate {...{ columns, editing }} rows={status.rows} cell={status.focusedCell} />
            </>
          )}
          {!small && <span>{pluralize(columns.length, 'column', 'columns')}</span>}
          <span title="Hover over a date to see it in other time zones">
            {showsAllZones ? 'Dates in all zones, typed in' : 'Dates in'} {editing.zone}
          </span>
        </>
      )}
    </span>
  );
}

/** Duration of the latest request for rows. */
function Latency({ rows }: { rows: EntryRows }) {
  useSyncExternalStore(rows.subscribe, rows.getVersion);
  return <span className="num">loaded in {formatNumber(Math.round(rows.getLatencyMs()))} ms</span>;
}

interface FocusedDateProps extends GridFootProps {
  rows: EntryRows;
  cell: Cell;
}

/** The focused date in all time zones, like the tooltip on hover. */
function FocusedDate({ rows, cell, columns, editing }: FocusedDateProps) {
  const { site, own } = useTimeZone();
  const row = rows.at(cell.row);
  const field = columns[cell.column]?.field;
  const value =
    row && field?.fieldType === FIELD.date ? getShownValue(row, field, editing.changes) : undefined;
  if (!field || typeof value !== 'string') return null;
  return <span className="num eg-totals">{formatDateTooltip(value, field.isDateOnly, site, own)}</span>;
}

/** Above this, totals are not computed in the grid. */
const MAX_SUM_ROWS = 10_000;
/** Above this, totals are computed on request only, so that selecting stays fast. */
const MAX_LIVE_SUM_CELLS = 50_000;

interface RangeTotalsProps {
  columns: readonly EntryColumn[];
  editing: GridEditing;
  rows: EntryRows;
  range: CellRange;
}

/** Totals of the selected cells: at once if all are loaded, else on request. */
function RangeTotals({ rows, range, columns, editing: { changes } }: RangeTotalsProps) {
  const version = useSyncExternalStore(rows.subscribe, rows.getVersion);
  const { top, bottom, left, right } = range;
  // Identifies the summed cells: totals of another object are outdated.
  const source = useMemo(
    () => ({ rows, top, bottom, left, right, columns, changes }),
    [rows, top, bottom, left, right, columns, changes],
  );
  const [loaded, setLoaded] = useState<{ source: object; totals: CellTotals }>();
  const [loadingSource, setLoadingSource] = useState<object>();
  const current = useRef<object>(undefined);
  useEffect(() => {
    current.current = source;
    return () => {
      current.current = undefined;
    };
  }, [source]);

  const fields = columns.slice(left, right + 1).map(({ field }) => field);
  const getCellValue = (row: RowVm, field: (typeof fields)[number]) => getShownValue(row, field, changes);
  const liveTotals = useMemo(() => {
    if (countCells(range) > MAX_LIVE_SUM_CELLS) return undefined;
    const loadedRows = getFullRange(rows, top, bottom, []);
    return loadedRows && addTotals(loadedRows, fields, getCellValue);
    // oxlint-disable-next-line react/exhaustive-deps -- `version` stands for loaded rows, `source` for the rest
  }, [source, version]);
  const totals = liveTotals ?? (loaded?.source === source ? loaded.totals : undefined);
  if (totals) {
    const text = formatTotals(totals);
    return (
      <output className="num eg-totals" title={text}>
        {text}
      </output>
    );
  }
  const length = bottom - top + 1;
  const sumUp = async () => {
    setLoadingSource(source);
    try {
      let sum = NO_TOTALS;
      // Window by window, so that memory holds one of them and another selection stops the loop.
      for (let from = top, to; from <= bottom && current.current === source; from = to + 1) {
        to = Math.min(bottom, from - (from % WINDOW_ROWS) + WINDOW_ROWS - 1);
        // Sequential: visible rows must not wait for a hundred requests.
        sum = addTotals(await loadFullRange(rows, from, to, []), fields, getCellValue, sum);
      }
      if (current.current === source) setLoaded({ source, totals: sum });
    } catch (thrown) {
      if (current.current === source)
        toast({
          title: 'The totals could not be computed',
          description: toServiceError(thrown).message,
          tone: 'bad',
        });
    } finally {
      setLoadingSource((latest) => (latest === source ? undefined : latest));
    }
  };
  return (
    <>
      <output className="num eg-totals">{pluralize(countCells(range), 'cell', 'cells')}</output>
      <Button
        size="small"
        variant="quiet"
        pending={loadingSource === source}
        disabledReason={
          length > MAX_SUM_ROWS
            ? `Totals are available for at most ${formatNumber(MAX_SUM_ROWS)} rows`
            : undefined
        }
        onClick={() => void sumUp()}
      >
        Add up {pluralize(length, 'row', 'rows')}
      </Button>
    </>
  );
}
