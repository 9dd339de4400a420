import { memo } from 'react';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { EntryColumn } from '../model/columns.ts';
import { valueIn } from '../model/values.ts';
import type { EntryCells } from '../editing/changes.ts';
import { wordsOf } from '../editing/words.ts';
import type { Field } from '../model/schema.ts';
import { EntryLink, NewName } from './EntryLink.tsx';
import type { RowMark } from './marks.ts';
import { FateNote } from './TodayNote.tsx';

interface SmallRowProps {
  row: RowVm | undefined;
  index: number;
  y: number;
  type: string;
  columns: readonly EntryColumn[];
  isStop: boolean;
  /** Whether the address points at it. */
  isPointed: boolean;
  /** What is staged for the entry. */
  staged: EntryCells | undefined;
  /** Whether the entry is to be deleted. */
  goes: boolean;
  /** In which dates are shown. */
  zone: string;
  /** How it is different today, where it is of the moment `at`. */
  mark: RowMark | undefined;
  at: string | undefined;
}

const shown = (row: RowVm, field: Field, staged: EntryCells | undefined) => {
  const cell = staged?.get(field.id);
  return cell ? cell.value : valueIn(row, field);
};

const FACTS = 4;
const CUT = 60;

/** What a phone tells beside the name: the first columns that say something. */
function factsOf({ row, columns, staged, zone, mark }: SmallRowProps): string[] {
  if (!row) return [];
  const today = columns.flatMap(({ field }) => {
    const now = mark?.today.get(field.apiName);
    return now ? [`${field.name} now ${wordsOf(now.value, field, zone) || 'no data'}`.slice(0, CUT)] : [];
  });
  const then = columns.slice(1).flatMap(({ field }) => {
    const text = staged?.get(field.id)?.misfit?.text ?? wordsOf(shown(row, field, staged), field, zone);
    return text === '' ? [] : [text.slice(0, CUT)];
  });
  return [...today, ...then].slice(0, FACTS);
}

function Row(props: SmallRowProps) {
  const { row, index, y, type, columns, isStop, staged, goes, mark } = props;
  const [key] = columns;
  return (
    <tr
      className={cx(
        'eg-row eg-row-small',
        goes && 'eg-goes',
        props.isPointed && 'eg-row-pointed',
        mark && `eg-${mark.state}`,
      )}
      style={{ transform: `translateY(${y}px)` }}
      aria-rowindex={index + 2}
      aria-current={props.isPointed || undefined}
      aria-busy={row === undefined ? true : undefined}
    >
      <th
        scope="row"
        className={staged ? 'eg-small eg-key eg-staged' : 'eg-small eg-key'}
        data-row={index}
        data-column={0}
        tabIndex={isStop ? 0 : -1}
      >
        {row === undefined || !key ? (
          <Skeleton width="60%" />
        ) : (
          <>
            <span className="eg-small-name">
              {row.EntryId < 0 ? (
                <NewName column={key} value={shown(row, key.field, staged)} />
              ) : (
                <EntryLink
                  {...{ row, type, column: key }}
                  value={shown(row, key.field, staged)}
                  at={props.at}
                />
              )}
              {mark && <FateNote mark={mark} />}
            </span>
            {goes && <span className="visually-hidden">, to be deleted, not saved</span>}
            <span className="eg-facts">
              {factsOf(props).map((fact, at) => (
                // Facts of one row: their place is all that tells them apart.
                // oxlint-disable-next-line react/no-array-index-key
                <bdi key={at}>{fact}</bdi>
              ))}
            </span>
          </>
        )}
      </th>
    </tr>
  );
}

/** A row of two lines, for small widths. */
export const SmallRow = memo(Row);
