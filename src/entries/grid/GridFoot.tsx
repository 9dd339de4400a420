import { useState } from 'react';
import { FIELD } from '../../../contract/rules/fields.ts';
import { toServiceError } from '../../api/errors.ts';
import { count, counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { toast } from '../../ui/feedback/toast.ts';
import { SMALL, useMedia } from '../../ui/use-media.ts';
import type { EntryColumn } from '../columns.ts';
import { dateNote } from '../dates.ts';
import type { EntryRows } from '../rows.ts';
import { OWN_ZONE, useZone } from '../zone.ts';
import type { Cell } from './keys.ts';
import { cellsIn } from './range.ts';
import type { Range } from './range.ts';
import { rowsAtHand, rowsBetween } from './rows-between.ts';
import { shownIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import { useGridStatus } from './status.ts';
import { totalsOf, totalsWords } from './totals.ts';
import type { Totals } from './totals.ts';

interface GridFootProps {
  columns: readonly EntryColumn[];
  editing: Editing;
}

/** Where in the list one is, and what the selected cells come to. */
export function GridFoot({ columns, editing }: GridFootProps) {
  const small = useMedia(SMALL);
  const status = useGridStatus();
  const isRange = status?.range && cellsIn(status.range) > 1;
  return (
    <span className="eg-foot">
      {status && (
        <span className="num">
          Rows {count(status.first + 1)}–{count(status.last + 1)} of {count(status.rows.total)}
        </span>
      )}
      {status && isRange ? (
        <RangeTotals {...{ columns, editing }} rows={status.rows} range={status.range} />
      ) : (
        <>
          {status && !small && <DateNote {...{ columns, editing }} rows={status.rows} cell={status.cell} />}
          {!small && <span>{counted(columns.length, 'column', 'columns')}</span>}
          <span title="Hovering over a date tells it in every zone">Dates in {editing.zone}</span>
        </>
      )}
    </span>
  );
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

interface RangeTotalsProps extends GridFootProps {
  rows: EntryRows;
  range: Range | undefined;
}

function RangeTotals({ rows, range, columns, editing }: RangeTotalsProps) {
  const [read, setRead] = useState<{ rows: EntryRows; of: string; totals: Totals }>();
  const [reading, setReading] = useState(false);
  if (!range) return null;
  const of = JSON.stringify(range);
  const fields = columns.slice(range.left, range.right + 1).map(({ field }) => field);
  const sumUp = (there: Parameters<typeof totalsOf>[0]) =>
    totalsOf(there, fields, (row, field) => shownIn(row, field, editing.changes));
  const there = rowsAtHand(rows, range.top, range.bottom, []);
  const totals = there ? sumUp(there) : read?.rows === rows && read.of === of ? read.totals : undefined;
  const words = totals && totalsWords(totals);
  if (words !== undefined)
    return (
      <output className="num eg-totals" title={words}>
        {words}
      </output>
    );
  const length = range.bottom - range.top + 1;
  const add = async () => {
    setReading(true);
    try {
      setRead({ rows, of, totals: sumUp(await rowsBetween(rows, range.top, range.bottom, [])) });
    } catch (thrown) {
      toast({ title: 'Nothing was added up', description: toServiceError(thrown).message, tone: 'bad' });
    } finally {
      setReading(false);
    }
  };
  return (
    <>
      <output className="num eg-totals">{counted(cellsIn(range), 'cell', 'cells')}</output>
      <Button
        size="small"
        variant="quiet"
        pending={reading}
        disabledReason={length > MOST ? `At most ${count(MOST)} rows are added up here` : undefined}
        onClick={() => void add()}
      >
        Add up {count(length)} rows
      </Button>
    </>
  );
}
