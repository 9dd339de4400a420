import { memo } from 'react';
import type { RowVm } from '../../../../../contract/generated/types.gen.ts';
import { cx } from '../../../../ui/cx.ts';
import { Skeleton } from '../../../../ui/feedback/Skeleton.tsx';
import type { EntryCells } from '../../editing/change-set.ts';
import type { RowChange } from '../../history/row-changes.ts';
import type { EntryColumn } from '../../model/columns.ts';
import type { Field } from '../../model/schema.ts';
import { getValue, formatValue } from '../../model/values.ts';
import { RowChangeBadge } from './CellValue.tsx';
import { EntryLink, NewEntryName } from './EntryLink.tsx';

interface SmallRowProps {
  row: RowVm | undefined;
  index: number;
  y: number;
  type: string;
  columns: readonly EntryColumn[];
  isTabStop: boolean;
  /** Whether the URL points at the entry. */
  isTarget: boolean;
  /** Staged cells of the entry. */
  staged: EntryCells | undefined;
  /** Whether a deletion of the entry is staged. */
  isPendingDeletion: boolean;
  /** Time zone in which dates are displayed. */
  zone: string;
  /** How the entry changed since `asOf`. */
  change: RowChange | undefined;
  asOf: string | undefined;
}

const getShownValue = (row: RowVm, field: Field, staged: EntryCells | undefined) => {
  const cell = staged?.get(field.id);
  return cell ? cell.value : getValue(row, field);
};

const MAX_FACTS = 4;
const MAX_FACT_CHARS = 60;

/** Texts below the name on small screens: current values that changed, then the first columns with data. */
function getFacts({ row, columns, staged, zone, change }: SmallRowProps): string[] {
  if (!row) return [];
  const currentTexts = columns.flatMap(({ field }) => {
    const current = change?.currentValues.get(field.apiName);
    return current
      ? [`${field.name} now ${formatValue(current.value, field, zone) || 'no data'}`.slice(0, MAX_FACT_CHARS)]
      : [];
  });
  const texts = columns.slice(1).flatMap(({ field }) => {
    const text =
      staged?.get(field.id)?.invalidInput?.text ??
      formatValue(getShownValue(row, field, staged), field, zone);
    return text === '' ? [] : [text.slice(0, MAX_FACT_CHARS)];
  });
  return [...currentTexts, ...texts].slice(0, MAX_FACTS);
}

function Row(props: SmallRowProps) {
  const { row, index, y, type, columns, isTabStop, staged, isPendingDeletion, change } = props;
  const [key] = columns;
  return (
    <tr
      className={cx(
        'eg-row eg-row-small',
        isPendingDeletion && 'eg-pending-deletion',
        props.isTarget && 'eg-row-target',
        change && `eg-${change.state}`,
      )}
      style={{ transform: `translateY(${y}px)` }}
      aria-rowindex={index + 2}
      aria-current={props.isTarget || undefined}
      aria-busy={row === undefined ? true : undefined}
    >
      <th
        scope="row"
        className={staged ? 'eg-small eg-key eg-staged' : 'eg-small eg-key'}
        data-row={index}
        data-column={0}
        tabIndex={isTabStop ? 0 : -1}
      >
        {row === undefined || !key ? (
          <Skeleton width="60%" />
        ) : (
          <>
            <span className="eg-small-name">
              {row.EntryId < 0 ? (
                <NewEntryName column={key} value={getShownValue(row, key.field, staged)} />
              ) : (
                <EntryLink
                  {...{ row, type, column: key }}
                  value={getShownValue(row, key.field, staged)}
                  asOf={props.asOf}
                />
              )}
              {change && <RowChangeBadge change={change} />}
            </span>
            {isPendingDeletion && <span className="visually-hidden">, to be deleted, not saved</span>}
            <span className="eg-facts">
              {getFacts(props).map((fact, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- texts may repeat and have no other identity
                <bdi key={at}>{fact}</bdi>
              ))}
            </span>
          </>
        )}
      </th>
    </tr>
  );
}

/** A row of two lines for small screens. */
export const SmallRow = memo(Row);
