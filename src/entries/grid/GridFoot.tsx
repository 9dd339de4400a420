import { useSyncExternalStore } from 'react';
import { FIELD } from '../../../contract/rules/fields.ts';
import { count, counted } from '../../lib/numbers.ts';
import { SMALL, useMedia } from '../../ui/use-media.ts';
import type { EntryColumn } from '../columns.ts';
import { dateNote } from '../dates.ts';
import type { EntryRows } from '../rows.ts';
import { OWN_ZONE, useZone } from '../zone.ts';
import type { Cell } from './keys.ts';
import { RangeTotals } from './RangeTotals.tsx';
import { cellsIn } from './range.ts';
import { shownIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import { useGridStatus } from './status.ts';

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
