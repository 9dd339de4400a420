import type { EntryExport } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { startEntryExport } from '../../../api/generated/sdk/jobs.gen.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import type { ExportSource } from '../../export/index.ts';
import type { Field } from '../model/schema.ts';

/** A request to export the entries of a list. */
export interface EntriesExportRequest {
  type: { id: number };
  /** All fields of the type. */
  fields: readonly Field[];
  /** Exported fields in column order. */
  columns: readonly Field[];
  query: Pick<EntryExport, 'query' | 'orderBy' | 'asOf' | 'only' | 'withAdded'>;
  total: number;
  /** Search and filter as text. */
  filter: string | undefined;
}

/** Creates the export of entries by the service as a table that can be imported again, with a variant for each time zone. */
export function createEntriesExport(request: EntriesExportRequest, zones: readonly string[]): ExportSource {
  const [firstZone = 'UTC', ...otherZones] = new Set([...zones, 'UTC']);
  const source = createSource(request, firstZone);
  const options = [
    { label: firstZone, source },
    ...otherZones.map((zone) => ({ label: zone, source: createSource(request, zone) })),
  ];
  const hasTimes = request.fields.some(
    ({ fieldType, isDateOnly }) => fieldType === FIELD.date && !isDateOnly,
  );
  return {
    ...source,
    ...(hasTimes && options.length > 1 && { variants: { label: 'Time zone', options } }),
  };
}

function createSource(request: EntriesExportRequest, timeZone: string): ExportSource {
  const { type, fields, columns, query, total, filter } = request;
  const hiddenCount = fields.length - columns.length;
  return {
    formatCount: (rows) => pluralize(rows, 'entry', 'entries'),
    total,
    filter,
    csvHint:
      query.asOf === undefined
        ? 'Can be edited and imported again.'
        : 'Each row states the date and its differences from today.',
    note: 'Contains every entry once, as of one moment. The file is kept for 7 days.',
    ...(hiddenCount > 0 && {
      extended: {
        label: 'All columns',
        hint: `Including the ${formatNumber(hiddenCount)} hidden in the list.`,
        source: createSource({ ...request, columns: fields }, timeZone),
      },
    }),
    async start(format) {
      const { data: job } = await startEntryExport({
        body: {
          entryType: String(type.id),
          format,
          timeZone,
          fields: columns.map(({ apiName }) => apiName),
          ...(query.query !== undefined && { query: query.query }),
          ...(query.orderBy !== undefined && { orderBy: query.orderBy }),
          ...(query.asOf !== undefined && { asOf: query.asOf }),
          ...(query.only !== undefined && { only: query.only }),
          ...(query.withAdded !== undefined && { withAdded: query.withAdded }),
          ...(filter !== undefined && { filterText: filter }),
        },
      });
      return job;
    },
  };
}
