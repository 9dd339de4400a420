import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { toServiceError } from '../../api/errors.ts';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { count, counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { toast } from '../../ui/feedback/toast.ts';
import type { EntryColumn } from '../columns.ts';
import { WINDOW } from '../rows.ts';
import type { EntryRows } from '../rows.ts';
import { cellsIn } from './range.ts';
import type { Range } from './range.ts';
import { rowsAtHand, rowsBetween } from './rows-between.ts';
import { shownIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import { NOTHING, totalsOf, totalsWords } from './totals.ts';
import type { Totals } from './totals.ts';

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
export function RangeTotals({ rows, range, columns, editing: { changes } }: RangeTotalsProps) {
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
