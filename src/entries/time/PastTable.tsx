import { Link } from '@tanstack/react-router';
import type { EntryTypeVm, FieldValue, PastDifference, RowVm } from '../../api/generated/types.gen.ts';
import { count } from '../../lib/numbers.ts';
import { cx } from '../../ui/cx.ts';
import { Badge } from '../../ui/layout/Badge.tsx';
import type { Tone } from '../../ui/layout/tone.ts';
import type { EntryColumn } from '../columns.ts';
import type { Field } from '../schema.ts';
import { ValueView } from '../ValueView.tsx';
import { itemText, itemsOf, standsAtEnd, valueIn } from '../values.ts';
import './past.css';

interface PastTableProps {
  type: EntryTypeVm;
  columns: readonly EntryColumn[];
  rows: readonly RowVm[];
  differences: ReadonlyMap<number, PastDifference>;
  asOf: string;
  /** Number of the first row. */
  first: number;
  stale: boolean;
}

/** What became of a row since then, in words and as a tone. */
function fateOf(difference: PastDifference | undefined): { tone: Tone; words: string } | undefined {
  if (!difference) return undefined;
  if (difference.state === 'added') return { tone: 'ok', words: 'Added since' };
  if (difference.state === 'changed') return { tone: 'warn', words: 'Changed since' };
  if (difference.mergedEntryId !== undefined) return { tone: 'bad', words: 'Merged since' };
  return { tone: 'bad', words: difference.isDeleted ? 'Deleted since' : 'No longer matches' };
}

/** Rows as they were; what is different today is coloured, said, and beside it stands what it is now. */
export function PastTable({ type, columns, rows, differences, asOf, first, stale }: PastTableProps) {
  const [key, ...others] = columns;
  return (
    // A stop of its own lets the keyboard scroll.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="past-scroll" tabIndex={0} aria-label={`${type.pluralName} as they were`}>
      <table className={cx('past', stale && 'past-dim')} aria-busy={stale}>
        <thead>
          <tr>
            <th scope="col" className="past-number">
              <span className="visually-hidden">Row</span>
            </th>
            <th scope="col" className="past-key">
              {key?.field.name}
            </th>
            <th scope="col">Since then</th>
            {others.map(({ field }) => (
              <th key={field.id} scope="col" className={cx(standsAtEnd(field) && 'past-end')}>
                {field.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <PastRow
              key={row.EntryId}
              {...{ type, row, others, asOf }}
              column={key}
              difference={differences.get(row.EntryId)}
              number={first + at}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface PastRowProps {
  type: EntryTypeVm;
  row: RowVm;
  column: EntryColumn | undefined;
  others: readonly EntryColumn[];
  difference: PastDifference | undefined;
  asOf: string;
  number: number;
}

function PastRow({ type, row, column, others, difference, asOf, number }: PastRowProps) {
  const [name] = column ? itemsOf(valueIn(row, column.field)) : [];
  const text = column && name !== undefined ? itemText(name, column.field).trim() : '';
  const fate = fateOf(difference);
  return (
    <tr className={cx(difference && `past-${difference.state}`)}>
      <td className="past-number num">{count(number)}</td>
      <th scope="row" className={cx('past-key', isChanged(difference, column) && 'past-differs')}>
        <Link
          to="/entries/$type/$entryId"
          params={{ type: type.apiName, entryId: row.EntryId }}
          search={{ at: asOf }}
        >
          <bdi>{text === '' ? `Entry ${row.EntryId}` : text.slice(0, 300)}</bdi>
        </Link>
        {column && <Now difference={difference} column={column} />}
      </th>
      <td>
        {fate ? <Badge tone={fate.tone}>{fate.words}</Badge> : <span className="past-same">Same</span>}
        {difference?.mergedEntryId !== undefined && (
          <span className="past-now">
            into{' '}
            <Link
              to="/entries/$type/$entryId"
              params={{ type: type.apiName, entryId: difference.mergedEntryId }}
            >
              {difference.mergedEntryId}
            </Link>
          </span>
        )}
      </td>
      {others.map((one) => (
        <td
          key={one.field.id}
          className={cx(standsAtEnd(one.field) && 'past-end', isChanged(difference, one) && 'past-differs')}
        >
          <Brief value={valueIn(row, one.field)} field={one.field} />
          <Now difference={difference} column={one} />
        </td>
      ))}
    </tr>
  );
}

const isChanged = (difference: PastDifference | undefined, column: EntryColumn | undefined): boolean =>
  column !== undefined && difference?.fields?.includes(column.field.apiName) === true;

const LONGEST = 300;

/** A value in one line, which the cell cuts; of a long text the rest is not drawn. */
function Brief({ value, field }: { value: FieldValue | undefined; field: Field }) {
  return <ValueView value={typeof value === 'string' ? value.slice(0, LONGEST) : value} field={field} />;
}

/** What a changed field holds today. */
function Now({ difference, column }: { difference: PastDifference | undefined; column: EntryColumn }) {
  const { field } = column;
  if (!isChanged(difference, column)) return null;
  const value = difference?.today && valueIn(difference.today, field);
  return (
    <span className="past-now">
      now {itemsOf(value).length === 0 ? 'no data' : <Brief value={value} field={field} />}
    </span>
  );
}
