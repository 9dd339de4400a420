import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import type { ExportCell } from '../../../../contract/rules/tables/cells.ts';
import {
  toExportCell,
  createHeadingFormatter,
  getColumnParts,
} from '../../../../contract/rules/tables/entry-columns.ts';
import type { ColumnPart } from '../../../../contract/rules/tables/entry-columns.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import type { ExportSource } from '../../export/index.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { loadRowPages } from '../model/row-pages.ts';
import type { Field } from '../model/schema.ts';
import { loadOrderedPages } from './ordered-pages.ts';

/** A request to export the entries of a list. */
export interface EntriesExportRequest {
  type: { id: number; apiName: string; pluralName: string };
  /** All fields of the type, so that headings do not depend on the exported ones. */
  fields: readonly Field[];
  /** Exported fields in column order. */
  columns: readonly Field[];
  query: Pick<RowQuery, 'query' | 'orderBy'>;
  total: number;
  /** Search and filter as text. */
  filter: string | undefined;
  /** Time zone of dates with a time. */
  zone: string;
  /** For entries as of a past time; current entries without it. */
  asOf?: AsOfSource;
}

/** Source of entries as of a past time. */
export interface AsOfSource {
  /** Additional columns. */
  columns: readonly { heading: string; width: number; cell: (row: RowVm) => ExportCell }[];
  pages: (fields: string[], signal: AbortSignal) => AsyncIterable<readonly RowVm[]>;
}

const WIDTHS: Readonly<Record<ColumnPart, number>> = { value: 22, id: 10, currency: 10 };

/** Builds the columns of an export with a function for the cell of a row. */
export function buildExportColumns({
  fields,
  columns,
  zone,
}: Pick<EntriesExportRequest, 'fields' | 'columns' | 'zone'>) {
  const formatHeading = createHeadingFormatter(fields, zone);
  return [
    { heading: ENTRY_ID, width: 10, cell: (row: RowVm) => row.EntryId },
    ...columns.flatMap((field) =>
      getColumnParts(field).map((part) => ({
        heading: formatHeading(field, part),
        width: WIDTHS[part],
        cell: (row: RowVm) => toExportCell(row, field, part, zone),
      })),
    ),
  ];
}

/** Creates the export of entries as a table that can be imported again, with a variant for each time zone. */
export function createEntriesExport(
  request: Omit<EntriesExportRequest, 'zone'>,
  zones: readonly string[],
): ExportSource {
  const options = [...new Set([...zones, 'UTC'])].map((zone) => ({
    label: zone,
    source: createSource({ ...request, zone }),
  }));
  const [first] = options;
  const hasTimes = request.fields.some(
    ({ fieldType, isDateOnly }) => fieldType === FIELD.date && !isDateOnly,
  );
  return {
    ...(first?.source ?? createSource({ ...request, zone: 'UTC' })),
    ...(hasTimes && options.length > 1 && { variants: { label: 'Time zone', options } }),
  };
}

function createSource(request: EntriesExportRequest): ExportSource {
  const currentSource = createCurrentSource(request);
  const { asOf } = request;
  if (!asOf) return currentSource;
  const columns = [...buildExportColumns(request), ...asOf.columns];
  return {
    ...currentSource,
    columns: columns.map(({ heading, width }) => ({ heading, width })),
    csvHint: 'Each row states the date and its differences from today.',
    note: 'The file contains every entry once, as it was at that time.',
    async *portions(signal) {
      const names = request.columns.map(({ apiName }) => apiName);
      for await (const rows of asOf.pages(names, signal))
        yield rows.map((row) => columns.map(({ cell }) => cell(row)));
    },
  };
}

function createCurrentSource(request: EntriesExportRequest): ExportSource {
  const { type, total, filter, fields } = request;
  const columns = buildExportColumns(request);
  const hiddenCount = fields.length - request.columns.length;
  return {
    subject: type.apiName.toLowerCase(),
    sheet: type.pluralName,
    formatCount: (rows) => pluralize(rows, 'entry', 'entries'),
    columns: columns.map(({ heading, width }) => ({ heading, width })),
    total,
    filter,
    search: undefined,
    csvHint: 'Can be edited and imported again.',
    note: 'The file contains every entry once, as it is when the export reads it.',
    ...(hiddenCount > 0 && {
      extended: {
        label: 'All columns',
        hint: `Including the ${formatNumber(hiddenCount)} hidden in the list.`,
        source: createSource({ ...request, columns: fields }),
      },
    }),
    async *portions(signal) {
      const names = request.columns.map(({ apiName }) => apiName);
      const { query, orderBy } = request.query;
      const pageQuery = { ...(query !== undefined && { query }), fields: names };
      for await (const rows of orderBy === undefined
        ? loadRowPages(type.id, pageQuery, signal)
        : loadOrderedPages(type.id, pageQuery, orderBy, signal))
        yield rows.map((row) => columns.map(({ cell }) => cell(row)));
    },
  };
}
