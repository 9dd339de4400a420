import type { EntryExport, RowVm } from '../../../../contract/generated/types.gen.ts';
import { toWallTime } from '../../../../contract/rules/dates/wall-time.ts';
import { parseQuery, parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import { describeState } from '../../../../contract/rules/schema/past-states.ts';
import { buildExportColumns, type ExportField } from '../../../../contract/rules/tables/entry-columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { defineFileJobKind } from '../../../kernel/jobs/job-kind.ts';
import { formatQueryDetail } from '../../../kernel/jobs/job-texts.ts';
import {
  describeExport,
  type ExportColumn,
  writeFormattedTable,
  writeTable,
} from '../../../kernel/jobs/table-export.ts';
import { startJob } from '../../jobs/index.ts';
import { findField, loadSchema, type SchemaField, type SiteSchema } from '../../schema/index.ts';
import { parseTimeZone } from '../../sites/index.ts';
import { parseAsOf } from '../history/as-of-rows.ts';
import { createQueryContext, loadZones, requireType, resolveRowQuery } from '../query/resolve-query.ts';
import {
  type ExportPage,
  type ExportQuery,
  type ExportSnapshot,
  toStoredField,
  withExportSnapshot,
} from './export-rows.ts';
import { startFormatter } from './format-rows.ts';

/** Request of an export; `entryType` is the id, and `typeName` the name of its entries at the start. */
type ExportParameters = Omit<EntryExport, 'notBefore' | 'afterJobId' | 'timeZone'> & {
  timeZone: string;
  typeName: string;
};

/** Resolves the names of a request. @throws ApiError 400 with the path, 404 for an unknown type */
export async function createExportResolver(
  db: Db,
  caller: Call['caller'],
  request: Omit<EntryExport, 'format'>,
): Promise<(schema: SiteSchema) => ExportQuery> {
  const behavior = request.dateTimeBehavior === 1 ? 1 : 0;
  const zones = await loadZones(db, caller, behavior);
  return (schema) => {
    const type = requireType(schema, request.entryType);
    const find = (name: string) => findField(type, name);
    const { query } = request;
    const parsed = typeof query === 'string' ? parseQuery(query, find) : parseQueryObject(query ?? {}, find);
    const { condition, fields, sort } = resolveRowQuery(type, parsed, request);
    return {
      query: {
        type,
        condition,
        sort,
        context: createQueryContext(caller.siteId, behavior, zones),
      },
      fields,
      asOf:
        request.asOf === undefined
          ? undefined
          : {
              at: parseAsOf(request.asOf, behavior, zones),
              only: request.only,
              withAdded: request.withAdded ?? false,
            },
    };
  };
}

export const entryExportHandlers: Handlers<'startEntryExport'> = {
  async startEntryExport(call) {
    const { db, caller, body } = call;
    const { notBefore: _notBefore, afterJobId: _afterJobId, ...request } = body;
    const timeZone = parseTimeZone(body.timeZone ?? 'UTC');
    const resolve = await createExportResolver(db, caller, body);
    const { query, asOf } = resolve(await loadSchema(db, caller.siteId));
    const { type } = query;
    const parameters: ExportParameters = {
      ...request,
      ...(asOf && { asOf: asOf.at.toISOString() }),
      timeZone,
      entryType: String(type.id),
      typeName: type.pluralName,
    };
    return startJob(call, { kind: 'entries.export', parameters, items: [] });
  },
};

/** Job that exports entries to a file. */
export const entryExportJob = defineFileJobKind<ExportParameters>({
  kind: 'entries.export',
  operation: 'startEntryExport',
  describe: (_context, { typeName, ...parameters }) => describeExport(typeName, parameters),
  async produce(batch) {
    const { db, caller, parameters } = batch;
    const { format, filterText, query, timeZone, asOf } = parameters;
    const resolve = await createExportResolver(db, caller, parameters);
    return withExportSnapshot(db, caller.siteId, resolve, (snapshot) => {
      const { at, total, request } = snapshot;
      const { type } = request.query;
      const columns = buildColumns(snapshot, timeZone, asOf);
      const table = {
        columns,
        subject: type.apiName.toLowerCase(),
        type: type.pluralName,
        filterText,
        unfilteredText: 'All entries',
        note: `The file contains every entry once, as it was at ${(asOf === undefined ? at : new Date(asOf)).toISOString()}.`,
        at,
        day: new Date(toWallTime(at.getTime(), timeZone)).toISOString().slice(0, 10),
        total,
        fields: request.fields.map(({ name }) => name),
        detail: {
          entryTypeId: type.id,
          query: query === undefined ? null : formatQueryDetail(query),
          asOf: asOf ?? null,
        },
      };
      if (format === 'xlsx' || asOf !== undefined)
        return writeTable(batch, { ...table, format, columns, pages: snapshot.pages() });
      return writeFormattedTable(batch, { ...table, format }, formatRows(snapshot, format, timeZone));
    });
  },
});

/** A column of the file; those of a list as of a date need the page. */
type FileColumn = ExportColumn<RowVm, ExportPage>;

/** Formats the rows of a snapshot: rows are read, formatted and written at the same time. */
async function* formatRows(
  { request, total, readTexts }: ExportSnapshot,
  format: 'csv' | 'json',
  zone: string,
) {
  const { fields } = request;
  const formatter = startFormatter(
    {
      format,
      fields: fields.map(toStoredField),
      allFields: request.query.type.fields.map(toExportField),
      columnFields: fields.map(toExportField),
      zone,
    },
    total,
  );
  try {
    let previous: { bytes: Promise<Uint8Array<ArrayBuffer>>; rows: number } | undefined;
    let isFirst = true;
    for await (const { stored, rows } of readTexts()) {
      const finished = previous && { rows: previous.rows, bytes: await previous.bytes };
      previous = { rows, bytes: formatter.format(stored, isFirst) };
      isFirst &&= rows === 0;
      if (!finished) continue;
      yield finished;
      formatter.recycle(finished.bytes);
    }
    if (previous) yield { rows: previous.rows, bytes: await previous.bytes };
  } finally {
    await formatter.end();
  }
}

const toExportField = (field: SchemaField): ExportField => ({
  ...field,
  choiceValues: [...field.choices.values()].filter(({ isRemoved }) => !isRemoved),
});

/** Columns of an export: the id, the fields, and for a list as of a date what is different today. */
function buildColumns(
  { request }: ExportSnapshot,
  zone: string,
  asOf: string | undefined,
): readonly FileColumn[] {
  const { fields } = request.query.type;
  const columns = buildExportColumns({
    fields: fields.map(toExportField),
    columns: request.fields.map(toExportField),
    zone,
  });
  return asOf === undefined ? columns : [...columns, ...buildPastColumns(fields, asOf)];
}

const findDifference = (row: RowVm, { differences }: ExportPage) => differences.get(row.EntryId);

function buildPastColumns(fields: readonly SchemaField[], asOf: string): readonly FileColumn[] {
  const names = new Map(fields.map(({ apiName, name }) => [apiName, name]));
  return [
    { heading: 'As of (UTC)', width: 20, cell: () => asOf },
    {
      heading: 'Since then',
      width: 20,
      cell(row, page) {
        const difference = findDifference(row, page);
        return difference ? describeState(difference).description : 'Same';
      },
    },
    {
      heading: 'Different today',
      width: 30,
      cell: (row, page) =>
        findDifference(row, page)
          ?.fields?.map((name) => names.get(name) ?? name)
          .join('; ') ?? '',
    },
  ];
}
