import type { FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import { count, counted } from '../../../lib/numbers.ts';
import type { Field } from '../model/schema.ts';
import { isMoney, itemsOf } from '../model/values.ts';

/** Amounts of one currency, or numbers of none, added up. */
interface Sum {
  currencyCode: string | undefined;
  numbers: number;
  sum: number;
  least: number;
  most: number;
}

/** Cells added up: how many there are, how many of them hold something, and what their numbers come to. */
export interface Totals {
  cells: number;
  filled: number;
  /** One for each currency. */
  sums: readonly Sum[];
}

/** Before anything is added up. */
export const NOTHING: Totals = { cells: 0, filled: 0, sums: [] };

/** Adds up a block of cells, on top of what others came to. */
export function totalsOf(
  rows: readonly RowVm[],
  fields: readonly Field[],
  shown: (row: RowVm, field: Field) => FieldValue | undefined,
  before: Totals = NOTHING,
): Totals {
  const sums = new Map(before.sums.map((sum) => [sum.currencyCode, sum]));
  let { filled } = before;
  for (const row of rows)
    for (const field of fields) {
      const items = itemsOf(shown(row, field));
      if (items.length > 0) filled += 1;
      for (const item of items) {
        const value = isMoney(item) ? item.value : item;
        const currencyCode = isMoney(item) ? item.currencyCode : undefined;
        if (typeof value === 'number')
          sums.set(currencyCode, added(sums.get(currencyCode), value, currencyCode));
      }
    }
  return { cells: before.cells + rows.length * fields.length, filled, sums: [...sums.values()] };
}

const added = (before: Sum | undefined, value: number, currencyCode: string | undefined): Sum => ({
  currencyCode,
  numbers: (before?.numbers ?? 0) + 1,
  sum: (before?.sum ?? 0) + value,
  least: Math.min(before?.least ?? value, value),
  most: Math.max(before?.most ?? value, value),
});

// What is added up from tenths has more digits than it says.
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const mean = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 4,
  roundingPriority: 'morePrecision',
});

function sumWords({ currencyCode, numbers, sum, least, most }: Sum): string {
  const unit = currencyCode === undefined ? '' : `${currencyCode} `;
  const total = `sum ${unit}${number.format(sum)}`;
  if (numbers === 1) return total;
  const average = `average ${unit}${mean.format(sum / numbers)}`;
  return `${total}, ${average}, from ${number.format(least)} to ${number.format(most)}`;
}

/** What cells come to: "6 cells, 5 filled · sum 12, average 4, from 1 to 7". */
export function totalsWords({ cells, filled, sums }: Totals): string {
  const said = counted(cells, 'cell', 'cells');
  return [filled === cells ? said : `${said}, ${count(filled)} filled`, ...sums.map(sumWords)].join(' · ');
}
