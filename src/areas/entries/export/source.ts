import { FIELD } from '../../../../contract/rules/fields.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import type { ExportCell } from '../../../files/cells.ts';
import type { ExportSource } from '../../export/source.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { pagesOf } from '../model/pages.ts';
import type { Field } from '../model/schema.ts';
import type { RowQuestion } from '../model/use-rows.ts';
import { cellOf } from './cells.ts';
import { orderedPages } from './ordered.ts';
import { ENTRY_ID, headingsOf, partsOf } from './headings.ts';
import type { Part } from './headings.ts';

/** The entries that match, as they are to be exported. */
export interface EntriesRequest {
  type: { id: number; apiName: string; pluralName: string };
  /** All fields of the type: headings are the same whichever of them are exported. */
  fields: readonly Field[];
  /** The columns, in their order. */
  columns: readonly Field[];
  question: Pick<RowQuestion, 'query' | 'orderBy'>;
  total: number;
  /** What the entries have in common, in words. */
  filter: string | undefined;
  /** The zone in which moments are told. */
  zone: string;
  /** Absent: the entries are those of today. */
  past?: PastSource;
}

/** Entries as they were at a moment. */
export interface PastSource {
  /** What is told of each row besides, in columns of their own. */
  columns: readonly { heading: string; width: number; cell: (row: RowVm) => ExportCell }[];
  pages: (fields: string[], signal: AbortSignal) => AsyncIterable<readonly RowVm[]>;
}

const WIDTHS: Readonly<Record<Part, number>> = { value: 22, id: 10, currency: 10 };

/** Columns of a table, each with its cell of a row. */
export function entryColumns({ fields, columns, zone }: Pick<EntriesRequest, 'fields' | 'columns' | 'zone'>) {
  const heading = headingsOf(fields, zone);
  return [
    { heading: ENTRY_ID, width: 10, cell: (row: RowVm) => row.EntryId },
    ...columns.flatMap((field) =>
      partsOf(field).map((part) => ({
        heading: heading(field, part),
        width: WIDTHS[part],
        cell: (row: RowVm) => cellOf(row, field, part, zone),
      })),
    ),
  ];
}

/** The entries that match as a table that can be exported, and imported again; moments in one of these zones. */
export function entriesSource(request: Omit<EntriesRequest, 'zone'>, zones: readonly string[]): ExportSource {
  const options = [...new Set([...zones, 'UTC'])].map((zone) => ({
    label: zone,
    source: sourceIn({ ...request, zone }),
  }));
  const [first] = options;
  const hasMoments = request.fields.some(
    ({ fieldType, isDateOnly }) => fieldType === FIELD.date && !isDateOnly,
  );
  return {
    ...(first?.source ?? sourceIn({ ...request, zone: 'UTC' })),
    ...(hasMoments && options.length > 1 && { variants: { label: 'Time zone of moments', options } }),
  };
}

function sourceIn(request: EntriesRequest): ExportSource {
  const today = todayIn(request);
  const { past } = request;
  if (!past) return today;
  const columns = [...entryColumns(request), ...past.columns];
  return {
    ...today,
    columns: columns.map(({ heading, width }) => ({ heading, width })),
    csvHint: 'Each row tells the moment and what is different today.',
    note: 'Every entry is in the file once, as it was at that moment.',
    async *portions(signal) {
      const names = request.columns.map(({ apiName }) => apiName);
      for await (const rows of past.pages(names, signal))
        yield rows.map((row) => columns.map(({ cell }) => cell(row)));
    },
  };
}

function todayIn(request: EntriesRequest): ExportSource {
  const { type, total, filter, fields } = request;
  const columns = entryColumns(request);
  const hidden = fields.length - request.columns.length;
  return {
    subject: type.apiName.toLowerCase(),
    sheet: type.pluralName,
    words: (rows) => counted(rows, 'entry', 'entries'),
    columns: columns.map(({ heading, width }) => ({ heading, width })),
    total,
    filter,
    search: undefined,
    csvHint: 'Can be changed and imported again.',
    note: 'Every entry is in the file once, as it is when it is read.',
    ...(hidden > 0 && {
      more: {
        label: 'All columns',
        hint: `With the ${count(hidden)} that the list does not show.`,
        source: sourceIn({ ...request, columns: fields }),
      },
    }),
    async *portions(signal) {
      const names = request.columns.map(({ apiName }) => apiName);
      const { query, orderBy } = request.question;
      const asked = { ...(query !== undefined && { query }), fields: names };
      for await (const rows of orderBy === undefined
        ? pagesOf(type.id, asked, signal)
        : orderedPages(type.id, asked, orderBy, signal))
        yield rows.map((row) => columns.map(({ cell }) => cell(row)));
    },
  };
}
