import type { FieldValue, RowVm } from '../../../../contract/generated/types.gen.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import type { Field } from '../model/schema.ts';
import { formatNonZero, isMoney, toItems } from '../model/values.ts';

/** Totals of the numbers of one currency, or of plain numbers. */
interface CurrencySum {
  currencyCode: string | undefined;
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Totals of cells: their number, how many have data, and sums of their numbers. */
export interface CellTotals {
  cells: number;
  filled: number;
  /** One per currency. */
  sums: readonly CurrencySum[];
}

export const NO_TOTALS: CellTotals = { cells: 0, filled: 0, sums: [] };

/** Adds a block of cells to totals. */
export function addTotals(
  rows: readonly RowVm[],
  fields: readonly Field[],
  getCellValue: (row: RowVm, field: Field) => FieldValue | undefined,
  before: CellTotals = NO_TOTALS,
): CellTotals {
  const sums = new Map(before.sums.map((sum) => [sum.currencyCode, sum]));
  let { filled } = before;
  for (const row of rows)
    for (const field of fields) {
      const items = toItems(getCellValue(row, field));
      if (items.length > 0) filled += 1;
      for (const item of items) {
        const value = isMoney(item) ? item.value : item;
        const currencyCode = isMoney(item) ? item.currencyCode : undefined;
        if (typeof value === 'number')
          sums.set(currencyCode, addToSum(sums.get(currencyCode), value, currencyCode));
      }
    }
  return { cells: before.cells + rows.length * fields.length, filled, sums: [...sums.values()] };
}

const addToSum = (
  before: CurrencySum | undefined,
  value: number,
  currencyCode: string | undefined,
): CurrencySum => ({
  currencyCode,
  count: (before?.count ?? 0) + 1,
  sum: (before?.sum ?? 0) + value,
  min: Math.min(before?.min ?? value, value),
  max: Math.max(before?.max ?? value, value),
});

// Hides rounding errors of binary fractions.
const sumFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
/** Share of the largest number below which a sum is a rounding error. */
const MAX_ERROR_SHARE = 1e-9;
const averageFormat = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 4,
  roundingPriority: 'morePrecision',
});

function formatSum({ currencyCode, count, sum, min, max }: CurrencySum): string {
  const unit = currencyCode === undefined ? '' : `${currencyCode} `;
  const isError = Math.abs(sum) < Math.max(Math.abs(min), Math.abs(max)) * MAX_ERROR_SHARE;
  const exactSum = isError ? 0 : sum;
  const total = `sum ${unit}${formatNonZero(exactSum, sumFormat)}`;
  if (count === 1) return total;
  const average = `average ${unit}${formatNonZero(exactSum / count, averageFormat)}`;
  return `${total}, ${average}, from ${formatNonZero(min, sumFormat)} to ${formatNonZero(max, sumFormat)}`;
}

/** Formats totals: "6 cells, 5 filled · sum 12, average 4, from 1 to 7". */
export function formatTotals({ cells, filled, sums }: CellTotals): string {
  const cellsText = pluralize(cells, 'cell', 'cells');
  return [
    filled === cells ? cellsText : `${cellsText}, ${formatNumber(filled)} filled`,
    ...sums.map(formatSum),
  ].join(' · ');
}
