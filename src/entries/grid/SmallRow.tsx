import { memo } from 'react';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import type { EntryColumn } from '../columns.ts';
import { itemText, itemsOf, valueIn } from '../values.ts';
import { EntryLink } from './EntryLink.tsx';

interface SmallRowProps {
  row: RowVm | undefined;
  index: number;
  y: number;
  type: string;
  columns: readonly EntryColumn[];
  isStop: boolean;
}

const FACTS = 4;
const CUT = 60;

/** What a phone tells beside the name: the first columns that say something. */
function factsOf(row: RowVm, columns: readonly EntryColumn[]): string[] {
  return columns
    .slice(1)
    .flatMap(({ field }) => {
      const text = itemsOf(valueIn(row, field))
        .map((item) => itemText(item, field))
        .join(', ');
      return text === '' ? [] : [text.slice(0, CUT)];
    })
    .slice(0, FACTS);
}

function Row({ row, index, y, type, columns, isStop }: SmallRowProps) {
  const [key] = columns;
  return (
    <tr
      className="eg-row eg-row-small"
      style={{ transform: `translateY(${y}px)` }}
      aria-rowindex={index + 2}
      aria-busy={row === undefined ? true : undefined}
    >
      <th scope="row" className="eg-small eg-key" data-row={index} data-column={0} tabIndex={isStop ? 0 : -1}>
        {row === undefined || !key ? (
          <Skeleton width="60%" />
        ) : (
          <>
            <EntryLink {...{ row, type, column: key }} value={valueIn(row, key.field)} />
            <span className="eg-facts">
              {factsOf(row, columns).map((fact, at) => (
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
