import { memo } from 'react';
import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { StagedCell } from '../editing/changes.ts';
import { lockedReason } from '../editing/rules.ts';
import { sameValue } from '../editing/written.ts';
import { standsAtEnd, valueIn } from '../model/values.ts';
import { isCut } from '../model/whole.ts';
import { CellValue } from './CellValue.tsx';
import { EditCell, Refusal } from './EditCell.tsx';
import type { RowOpen } from './EditCell.tsx';
import { EntryLink, NewName } from './EntryLink.tsx';
import type { RowMark } from './marks.ts';
import { FateNote, TodayNote } from './TodayNote.tsx';
import './cell-states.css';

interface GridCellProps {
  row: RowVm | undefined;
  column: EntryColumn;
  /** Counted from 0, without the row numbers. */
  at: number;
  index: number;
  type: string;
  zone: string;
  /** Why this person changes nothing here. */
  refusal: string | undefined;
  isStop: boolean;
  /** Whether the address points at it. */
  isPointed: boolean;
  /** Where it stays while others scroll under it. */
  stays: number | undefined;
  /** Where it stands although its column is out of view. */
  keptAt: number | undefined;
  /** The last of those that stay. */
  isLast: boolean;
  staged: StagedCell | undefined;
  fault: string | undefined;
  /** Whether the entry is to be deleted. */
  goes: boolean;
  isSelected: boolean;
  open: RowOpen | undefined;
  /** What became of the entry since the moment of the list; only of the cell with its name. */
  mark: RowMark | undefined;
  /** What the field holds today, where that is something else. */
  today: { value: FieldValue | undefined } | undefined;
  moment: string | undefined;
}

const MOST_TEXT = 300;
const PADDING = 20;

/** Whether a row holds this value, as far as it was read. */
function holds(row: RowVm, field: EntryColumn['field'], value: FieldValue | undefined): boolean {
  const now = valueIn(row, field);
  const isPart = typeof now === 'string' && typeof value === 'string' && isCut(row, field);
  return isPart ? value.startsWith(now) : sameValue(now, value);
}

/** The state of a cell in words: what is staged, what is wrong with it, who was there before. */
function noteOf({ row, column: { field }, at, staged, fault, goes }: GridCellProps) {
  if (goes) {
    const words = fault === undefined ? 'To be deleted, not saved' : `Not deleted: ${fault}`;
    return at === 0 ? { className: fault === undefined ? '' : 'eg-faulty', words } : undefined;
  }
  const isOvertaken = staged && row && !holds(row, field, staged.before) && !holds(row, field, staged.value);
  if (fault !== undefined) return { className: 'eg-faulty', words: fault };
  if (isOvertaken) return { className: 'eg-overtaken', words: 'Somebody else has changed this meanwhile' };
  if (!staged) return undefined;
  return { className: 'eg-staged', words: staged.entryId < 0 ? 'New, not saved' : 'Changed, not saved' };
}

function Cell(props: GridCellProps) {
  const {
    row,
    column,
    at,
    index,
    type,
    zone,
    isStop,
    stays,
    keptAt,
    isLast,
    staged,
    fault,
    isSelected,
    open,
    mark,
    today,
  } = props;
  const { field, width } = column;
  const Tag = at === 0 ? 'th' : 'td';
  const value = staged ? staged.value : row && valueIn(row, field);
  const note = noteOf(props);
  const isOpen = open !== undefined;
  return (
    <Tag
      scope={at === 0 ? 'row' : undefined}
      className={cx(
        'eg-cell',
        at === 0 && 'eg-key',
        standsAtEnd(field) && 'eg-end',
        stays !== undefined && 'eg-stays',
        keptAt !== undefined && 'eg-kept',
        isLast && 'eg-stays-last',
        isSelected && 'eg-selected',
        props.isPointed && 'eg-pointed',
        note?.className,
        mark && 'eg-fated',
        today && 'eg-differs',
        isOpen && 'eg-open',
        open?.refusal !== undefined && 'eg-refused',
      )}
      style={{ width, left: stays ?? keptAt }}
      title={note?.words}
      aria-colindex={at + 2}
      aria-current={props.isPointed || undefined}
      aria-selected={isSelected || undefined}
      aria-readonly={
        props.refusal !== undefined || props.goes || lockedReason(field) !== undefined || undefined
      }
      aria-invalid={fault === undefined ? undefined : true}
      data-row={index}
      data-column={at}
      tabIndex={isStop ? 0 : -1}
    >
      {row && open?.refusal === undefined && open && <EditCell open={open} field={field} />}
      {row && (!open || open.refusal !== undefined) && (
        <>
          {staged?.misfit ? (
            staged.misfit.text.slice(0, MOST_TEXT)
          ) : at === 0 && row.EntryId < 0 ? (
            <NewName {...{ column, value }} />
          ) : at === 0 ? (
            <EntryLink {...{ row, type, column, value }} at={props.moment} />
          ) : today ? (
            <span className="eg-was">
              <CellValue {...{ value, field, zone }} />
            </span>
          ) : (
            <CellValue {...{ value, field, zone }} room={width - PADDING} />
          )}
          {today && <TodayNote {...{ today, field, zone }} />}
          {mark && <FateNote mark={mark} />}
          {note && <span className="visually-hidden">, {note.words}</span>}
          {open?.refusal !== undefined && <Refusal text={open.refusal} />}
        </>
      )}
    </Tag>
  );
}

/** A cell of an entry; the one with the name heads its row. Those in view are not drawn again while others come. */
export const GridCell = memo(Cell);
