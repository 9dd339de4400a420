import type { EntryExport, RowVm } from '../../../../contract/generated/types.gen.ts';
import { describeState } from '../../../../contract/rules/past-states.ts';
import { parseQuery, parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import type { ExportCell } from '../../../../contract/rules/tables/cells.ts';
import {
  buildExportColumns,
  type EntryColumn,
  type ExportField,
} from '../../../../contract/rules/tables/entry-columns.ts';
import { buildFileName } from '../../../../contract/rules/tables/file-name.ts';
import { toWallTime } from '../../../../contract/rules/wall-time.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { defineFileJobKind } from '../../../kernel/jobs/job-kind.ts';
import { createTableWriter, TABLE_FORMATS } from '../../../kernel/table-writer.ts';
import { startJob } from '../../jobs/index.ts';
import { findField, loadSchema, type SchemaField, type SiteSchema } from '../../schema/index.ts';
import { parseTimeZone } from '../../sites/index.ts';
import { parseAsOf } from '../history/as-of-rows.ts';
import {
  createQueryContext,
  loadZones,
  requireCondition,
  requireType,
  resolveFields,
  resolveSort,
} from '../query/resolve-query.ts';
import { type ExportPage, type ExportQuery, type ExportSnapshot, withExportSnapshot } from './export-rows.ts';

/** Request of an export; `entryType` is the id, and `typeName` the name of its entries at the start. */
type ExportParameters = Omit<EntryExport, 'notBefore' | 'afterJobId' | 'timeZone'> & {
  timeZone: string;
  typeName: string;
};

/** Resolves the names of a request. @throws ApiError 400 with the path, 404 for an unknown type */
async function createResolver(
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
    return {
      query: {
        type,
        condition: requireCondition(
          typeof query === 'string' ? parseQuery(query, find) : parseQueryObject(query ?? {}, find),
        ),
        sort: resolveSort(type, request.orderBy),
        context: createQueryContext(caller.siteId, behavior, zones),
      },
      fields: resolveFields(type, request.fields),
      asOf:
        request.asOf === undefined
          ? undefined
          : { at: parseAsOf(request.asOf), only: request.only, withAdded: request.withAdded ?? false },
    };
  };
}

export const entryExportHandlers: Handlers<'startEntryExport'> = {
  async startEntryExport(call) {
    const { db, caller, body } = call;
    const { notBefore: _notBefore, afterJobId: _afterJobId, ...request } = body;
    const timeZone = parseTimeZone(body.timeZone ?? 'UTC');
    const resolve = await createResolver(db, caller, body);
    const { type } = resolve(await loadSchema(db, caller.siteId)).query;
    const parameters: ExportParameters = {
      ...request,
      timeZone,
      entryType: String(type.id),
      typeName: type.pluralName,
    };
    return startJob(call, { kind: 'entries.export', parameters, items: [] });
  },
};

/** Longest title; the filter in words may be long. */
const MAX_TITLE_LENGTH = 200;

/** Job that exports entries to a file. */
export const entryExportJob = defineFileJobKind<ExportParameters>({
  kind: 'entries.export',
  operation: 'startEntryExport',
  describe(_context, { typeName, format, filterText }) {
    const title = `Export ${typeName} as ${format.toUpperCase()}${filterText ? `: ${filterText}` : ''}`;
    return title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH - 1)}…` : title;
  },
  async produce(batch) {
    const { db, caller, parameters, signal } = batch;
    const { format, filterText, query, timeZone } = parameters;
    const resolve = await createResolver(db, caller, parameters);
    return withExportSnapshot(db, caller.siteId, resolve, async (snapshot) => {
      const { type } = snapshot.request.query;
      const columns = buildColumns(snapshot, timeZone, parameters.asOf);
      const writer = createTableWriter(
        format,
        {
          columns: columns.map(({ heading, width }) => ({ heading, width })),
          sheet: type.pluralName,
          filter: filterText ?? 'All entries',
          note: `The file contains every entry once, as it was at ${(parameters.asOf === undefined ? snapshot.at : new Date(parameters.asOf)).toISOString()}.`,
          exportedAt: snapshot.at,
        },
        (chunk) => batch.write(chunk),
      );
      let done = 0;
      batch.reportProgress({ done, total: snapshot.total });
      for await (const page of snapshot.pages()) {
        signal.throwIfAborted();
        await writer.add(page.rows.map((row) => columns.map(({ cell }) => cell(row, page))));
        done += page.rows.length;
        batch.reportProgress({ done, total: Math.max(done, snapshot.total) });
      }
      await writer.end();
      const day = new Date(toWallTime(snapshot.at.getTime(), timeZone)).toISOString().slice(0, 10);
      const subject = type.apiName.toLowerCase();
      return {
        name: buildFileName(subject, filterText, format, day),
        mediaType: TABLE_FORMATS[format],
        rows: done,
        subject,
        detail: {
          type: type.pluralName,
          filter: filterText ?? null,
          query: query === undefined ? null : JSON.stringify(query).slice(0, 2_000),
          asOf: parameters.asOf ?? null,
          fields: snapshot.request.fields.map(({ name }) => name),
          format,
        },
      };
    });
  },
});

/** A column of the file; those of a list as of a date need the page. */
interface FileColumn extends Omit<EntryColumn, 'cell'> {
  cell: (row: RowVm, page: ExportPage) => ExportCell;
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
