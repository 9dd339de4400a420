import { memo } from 'react';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import type { EntryColumn } from '../model/columns.ts';
import { cx } from '../../../ui/cx.ts';
import { deletionKey } from '../editing/changes.ts';
import type { EntryCells } from '../editing/changes.ts';
import { GridCell } from './GridCell.tsx';
import type { RowOpen } from './EditCell.tsx';
import type { RowMark } from './marks.ts';
import { faultsIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import { drawnIn, placesOf } from './spans.ts';
import type { Span } from './spans.ts';

interface GridRowProps {
  /** Undefined while it is being fetched. */
  row: RowVm | undefined;
  index: number;
  y: number;
  /** Name of the entry type in addresses. */
  type: string;
  columns: readonly EntryColumn[];
  span: Span;
  /** So many columns stay at the side. */
  frozen: number;
  numberWidth: number;
  /** The column that Tab reaches in this row. */
  stop: number | undefined;
  /** The column that the keyboard is on stays drawn, with its focus and what is typed in it, and where it stands. */
  kept: number | undefined;
  keptAt: number;
  zone: Editing['zone'];
  refusal: Editing['refusal'];
  /** What is staged for the entry. */
  staged: EntryCells | undefined;
  /** Whether the entry is to be deleted. */
  goes: boolean;
  /** Only of a row that has staged cells, so that others are not drawn again when something is staged. */
  editing: Editing | undefined;
  /** Columns of the range that is selected. */
  left: number | undefined;
  right: number | undefined;
  open: RowOpen | undefined;
  /** Whether the address points at the entry, and at which column. */
  isPointed: boolean;
  pointedAt: number | undefined;
  /** How it is different today, where it is of the moment `at`. */
  mark: RowMark | undefined;
  at: string | undefined;
}

function Row(props: GridRowProps) {
  const {
    row,
    index,
    y,
    type,
    columns,
    span,
    frozen,
    numberWidth,
    stop,
    staged,
    goes,
    editing,
    left,
    right,
    open,
    mark,
  } = props;
  const places = placesOf(columns.slice(0, frozen), numberWidth);
  const isNew = row !== undefined && row.EntryId < 0;
  const faults = row && editing && !goes ? faultsIn(row, columns, editing) : undefined;
  const refused = row && goes ? editing?.changes.faults.get(deletionKey(row.EntryId)) : undefined;
  const isOut = (at: number) => at >= frozen && (at < span.first || at >= span.end);
  const cell = (column: EntryColumn, at: number) => (
    <GridCell
      key={column.field.id}
      {...{ row, column, at, index, type }}
      zone={props.zone}
      refusal={props.refusal}
      isStop={stop === at}
      isPointed={props.pointedAt === at}
      stays={places[at]}
      keptAt={isOut(at) ? props.keptAt : undefined}
      isLast={at === frozen - 1}
      staged={staged?.get(column.field.id)}
      fault={faults?.get(column.field.id) ?? (at === 0 ? refused : undefined)}
      goes={goes}
      isSelected={left !== undefined && right !== undefined && at >= left && at <= right}
      open={open?.column === at ? open : undefined}
      mark={at === 0 ? mark : undefined}
      today={mark?.today.get(column.field.apiName)}
      moment={props.at}
    />
  );
  return (
    <tr
      className={cx(
        'eg-row',
        open && 'eg-row-open',
        goes && 'eg-goes',
        props.isPointed && 'eg-row-pointed',
        mark && `eg-${mark.state}`,
      )}
      style={{ transform: `translateY(${y}px)` }}
      aria-rowindex={index + 2}
      aria-current={props.isPointed || undefined}
      aria-busy={row === undefined ? true : undefined}
    >
      <td className="eg-cell eg-number num" style={{ width: numberWidth }} aria-colindex={1}>
        {isNew ? 'New' : count(index + 1)}
      </td>
      {columns.slice(0, frozen).map(cell)}
      <td aria-hidden className="eg-gap" style={{ width: span.before }} />
      {drawnIn(span, props.kept, frozen).map((at) => {
        const column = columns[at];
        return column && cell(column, at);
      })}
    </tr>
  );
}

/** Drawn again only when what it shows changes, however fast the grid scrolls. */
export const GridRow = memo(Row);
