/** What a request to generate a report must be, and what its job stores of it. */
import type { ReportRunRequest } from '../../../contract/generated/types.gen.ts';
import { badRequest } from '../../kernel/api-error.ts';
import { requireCapabilities } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { type Db, readInSnapshot } from '../../kernel/db/database.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { createExportResolver, readIds } from '../entries/index.ts';
import { loadSchema } from '../schema/index.ts';
import { parseTimeZone } from '../sites/index.ts';
import { NO_OFFICE } from './documents/office.ts';
import { findLimitFault, requireFitting } from './generate.ts';
import type { ReportParameters } from './report-parameters.ts';
import type { StoredTemplate } from './templates.store.ts';

/** What selects the entries of a report, and how it is generated. */
type Request = Pick<
  ReportRunRequest,
  'entryIds' | 'query' | 'orderBy' | 'asOf' | 'format' | 'document' | 'timeZone' | 'filterText'
>;

/** A checked request. */
type CheckedRequest = Pick<ReportParameters, 'format' | 'document' | 'timeZone' | 'selected'> & {
  query: ReportParameters['query'] | undefined;
  orderBy: string | undefined;
  filterText: string | undefined;
};

/**
 * Checks a request against the template, the schema and the entries of now.
 * @throws ApiError 400 with the offending property, 403 without Read Data, 409 for a broken template
 */
export async function checkRequest(
  { db, caller, body, services }: Pick<Call, 'db' | 'caller' | 'services'> & { body: Request },
  template: StoredTemplate,
): Promise<CheckedRequest> {
  requireCapabilities(caller, ['Read Data']);
  requireSelection(body);
  requireFormat(template, body.format, services.officeProgram);
  const timeZone = parseTimeZone(body.timeZone ?? 'UTC');
  const document = body.document ?? 'one';
  const schema = await loadSchema(db, caller.siteId);
  const { check } = requireFitting(template.content, schema, template.typeId);
  const count = await countEntries({ db, caller, body }, template.typeId);
  const fault =
    count === undefined ? undefined : findLimitFault(count, { format: template.format, document }, check);
  if (fault !== undefined) throw badRequest([{ path: body.entryIds ? 'entryIds' : 'query', message: fault }]);
  const { format, entryIds, query, orderBy, filterText } = body;
  return { format, document, timeZone, selected: entryIds?.length ?? null, query, orderBy, filterText };
}

/** @throws ApiError 400 unless the request has either ids, each once, or a query */
function requireSelection({ entryIds, query }: Request): void {
  if ((entryIds === undefined) === (query === undefined))
    throw badRequest([
      { path: 'entryIds', message: 'send either entryIds or query; `{}` selects all entries' },
    ]);
  const seen = new Set<number>();
  const errors = (entryIds ?? []).flatMap((id, at) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated ? [{ path: `entryIds.${at}`, message: `entry ${id} occurs twice` }] : [];
  });
  if (errors.length > 0) throw badRequest(errors);
}

/** @throws ApiError 400 */
export function requireFormat(
  template: Pick<StoredTemplate, 'format'>,
  format: ReportParameters['format'],
  officeProgram: string | undefined,
): void {
  if (format !== 'pdf' && format !== template.format)
    throw badRequest([{ path: 'format', message: `the template is a .${template.format} file` }]);
  if (format === 'pdf' && officeProgram === undefined)
    throw badRequest([{ path: 'format', message: NO_OFFICE }]);
}

/**
 * Number of the selected entries; undefined for a list as of a date, which is counted when it is read.
 * @throws ApiError 400 for an invalid query, and for ids that are not those of entries
 */
async function countEntries(
  { db, caller, body }: { db: Db; caller: Caller; body: Request },
  typeId: number,
): Promise<number | undefined> {
  const { entryIds, query, orderBy, asOf } = body;
  const resolve = await createExportResolver(db, caller, {
    entryType: String(typeId),
    query: entryIds ? { EntryId: { $in: [...entryIds] } } : (query ?? {}),
    ...(orderBy !== undefined && { orderBy }),
  });
  const found = await readInSnapshot(db, async (tx) =>
    readIds(tx, resolve(await loadSchema(tx, caller.siteId)).query),
  );
  if (asOf !== undefined) return entryIds?.length;
  if (!entryIds) return found.length;
  const known = new Set(found);
  const errors = entryIds.flatMap((id, at) =>
    known.has(id) ? [] : [{ path: `entryIds.${at}`, message: `is not an entry of the type of the template` }],
  );
  if (errors.length > 0) throw badRequest(errors);
  return entryIds.length;
}

/** What a job and the activity report say of a request. */
export async function describeRequest(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  template: StoredTemplate,
  {
    query,
    orderBy,
    asOf,
    filterText,
    recipients = [],
    scheduleId,
    ...request
  }: Pick<ReportParameters, 'format' | 'document' | 'timeZone' | 'selected'> & {
    query?: ReportParameters['query'] | undefined;
    orderBy?: string | undefined;
    asOf?: string | undefined;
    filterText?: string | undefined;
    recipients?: readonly number[] | undefined;
    scheduleId?: number | undefined;
  },
): Promise<ReportParameters> {
  const schema = await loadSchema(db, caller.siteId);
  const { check, type } = requireFitting(template.content, schema, template.typeId);
  return {
    templateId: template.id,
    templateName: template.name,
    version: template.version,
    entryTypeId: type.id,
    typeName: type.pluralName,
    fields: check.fields.map(({ path }) => path),
    ...request,
    ...(query !== undefined && { query }),
    ...(orderBy !== undefined && { orderBy }),
    ...(asOf !== undefined && { asOf }),
    ...(filterText !== undefined && { filterText }),
    ...(recipients.length > 0 && { recipients }),
    ...(scheduleId !== undefined && { scheduleId }),
  };
}
