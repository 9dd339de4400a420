import { useSyncExternalStore, useEffect, useMemo, useRef, useState } from 'react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { SMALL, useMedia } from '../../../ui/use-media.ts';
import type { EntryColumn } from '../model/columns.ts';
import { dateNote } from '../model/dates.ts';
import type { EntryRows } from '../model/rows.ts';
import { OWN_ZONE, useZone } from '../model/zone.ts';
import type { Cell } from './keys.ts';
import { cellsIn } from './range.ts';
import { shownIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import { useGridStatus } from './status.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { WINDOW } from '../model/rows.ts';
import type { Range } from './range.ts';
import { rowsAtHand, rowsBetween } from './rows-between.ts';
import { NOTHING, totalsOf, totalsWords } from './totals.ts';
import type { Totals } from './totals.ts';

interface GridFootProps {
  columns: readonly EntryColumn[];
  editing: Editing;
}

/** Where in the list one is, how long its rows took, and what the selected cells come to. */
export function GridFoot({ columns, editing }: GridFootProps) {
  const small = useMedia(SMALL);
  const status = useGridStatus();
  const range = status?.range && cellsIn(status.range) > 1 ? status.range : undefined;
  return (
    <span className="eg-foot">
      {status && (
        <span className="num">
          Rows {count(status.first + 1)}–{count(status.last + 1)} of {count(status.rows.total)}
        </span>
      )}
      {status && range ? (
        <RangeTotals {...{ columns, editing, range }} rows={status.rows} />
      ) : (
        <>
          {status && !small && (
            <>
              <Took rows={status.rows} />
              <DateNote {...{ columns, editing }} rows={status.rows} cell={status.cell} />
            </>
          )}
          {!small && <span>{counted(columns.length, 'column', 'columns')}</span>}
          <span title="Hovering over a date tells it in every zone">Dates in {editing.zone}</span>
        </>
      )}
    </span>
  );
}

/** How long the newest rows took, from the call to its answer. */
function Took({ rows }: { rows: EntryRows }) {
  useSyncExternalStore(rows.subscribe, rows.turn);
  return <span className="num">loaded in {count(Math.round(rows.took()))} ms</span>;
}

interface DateNoteProps extends GridFootProps {
  rows: EntryRows;
  cell: Cell;
}

/** The date that the keyboard is on in every zone, as hovering tells it. */
function DateNote({ rows, cell, columns, editing }: DateNoteProps) {
  const { site } = useZone();
  const row = rows.at(cell.row);
  const field = columns[cell.column]?.field;
  const value = row && field?.fieldType === FIELD.date ? shownIn(row, field, editing.changes) : undefined;
  if (!field || typeof value !== 'string') return null;
  return <span className="num eg-totals">{dateNote(value, field.isDateOnly, site, OWN_ZONE)}</span>;
}

/** More is a question for the export. */
const MOST = 10_000;
/** More than these are added up where somebody asks for it: selecting must not wait for it. */
const MOST_AT_ONCE = 50_000;

interface RangeTotalsProps {
  columns: readonly EntryColumn[];
  editing: Editing;
  rows: EntryRows;
  range: Range;
}

/** What the selected cells come to: at once where all of them are there, else after they were read. */
function RangeTotals({ rows, range, columns, editing: { changes } }: RangeTotalsProps) {
  const turn = useSyncExternalStore(rows.subscribe, rows.turn);
  const { top, bottom, left, right } = range;
  /** What the cells are added up of: once any of it is another, the totals are those of something else. */
  const of = useMemo(
    () => ({ rows, top, bottom, left, right, columns, changes }),
    [rows, top, bottom, left, right, columns, changes],
  );
  const [read, setRead] = useState<{ of: object; totals: Totals }>();
  const [reading, setReading] = useState<object>();
  const current = useRef<object>(undefined);
  useEffect(() => {
    current.current = of;
    return () => {
      current.current = undefined;
    };
  }, [of]);

  const fields = columns.slice(left, right + 1).map(({ field }) => field);
  const shown = (row: RowVm, field: (typeof fields)[number]) => shownIn(row, field, changes);
  const atHand = useMemo(() => {
    if (cellsIn(range) > MOST_AT_ONCE) return undefined;
    const there = rowsAtHand(rows, top, bottom, []);
    return there && totalsOf(there, fields, shown);
    // Another turn is what brings rows; the fields are those of the columns.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [of, turn]);
  const totals = atHand ?? (read?.of === of ? read.totals : undefined);
  if (totals) {
    const words = totalsWords(totals);
    return (
      <output className="num eg-totals" title={words}>
        {words}
      </output>
    );
  }
  const length = bottom - top + 1;
  const add = async () => {
    setReading(of);
    try {
      let sum = NOTHING;
      // By windows: nobody holds all of the rows, and whoever selects something else waits for none of them.
      for (let from = top, to; from <= bottom && current.current === of; from = to + 1) {
        to = Math.min(bottom, from - (from % WINDOW) + WINDOW - 1);
        // oxlint-disable-next-line no-await-in-loop -- one after the other: the view must not wait for a hundred calls
        sum = totalsOf(await rowsBetween(rows, from, to, []), fields, shown, sum);
      }
      if (current.current === of) setRead({ of, totals: sum });
    } catch (thrown) {
      if (current.current === of)
        toast({ title: 'Nothing was added up', description: toServiceError(thrown).message, tone: 'bad' });
    } finally {
      setReading((now) => (now === of ? undefined : now));
    }
  };
  return (
    <>
      <output className="num eg-totals">{counted(cellsIn(range), 'cell', 'cells')}</output>
      <Button
        size="small"
        variant="quiet"
        pending={reading === of}
        disabledReason={length > MOST ? `At most ${count(MOST)} rows are added up here` : undefined}
        onClick={() => void add()}
      >
        Add up {counted(length, 'row', 'rows')}
      </Button>
    </>
  );
}
