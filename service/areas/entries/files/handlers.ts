import { LRUCache } from 'lru-cache';
import { isFileField } from '../../../../contract/rules/schema/fields.ts';
import { badRequest, notFound } from '../../../kernel/api-error.ts';
import { ACTIVITY_TYPE, ACTIVITY_SOURCE, insertActivity } from '../../../kernel/audit/activity.store.ts';
import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import { parsePastTimestamp } from '../../../kernel/http/parameters.ts';
import {
  findField,
  type EntryType,
  type FileValue,
  loadSchema,
  type SchemaField,
} from '../../schema/index.ts';
import { getContentName, isRaster } from './content.ts';
import { findEntryValues, findFileDate, findFileHash, findFilesAsOf } from './files.store.ts';

/** exportDataType of Download Document (shapes 2). */
const DOWNLOAD_DOCUMENT = 3;

/**
 * The file field of a path parameter: an id, or an apiName in any case.
 * @throws ApiError 404 for an unknown field, 400 if it holds no files
 */
function requireFileField(type: EntryType, idOrName: string): SchemaField {
  const field = /^\d+$/.test(idOrName)
    ? type.fields.find(({ id }) => id === Number(idOrName))
    : findField(type, idOrName);
  if (!field) throw notFound(`Field "${idOrName}" of ${type.apiName}`);
  if (!isFileField(field.fieldType))
    throw badRequest([{ path: 'fieldId', message: `${field.apiName} holds no files` }]);
  return field;
}

/** Time in which reads of parts of the same file in the same session are one download. */
const PARTS_WINDOW_MS = 60 * 60_000;

/** Files read in parts, by session. Lost entries only cause another record. */
const partialDownloads = new LRUCache<string, true>({ max: 10_000, ttl: PARTS_WINDOW_MS });

/**
 * Records a download in the activity log, unless the request reads another part of a recorded one: viewers read a file in
 * many ranges. Whichever range comes first is recorded, so that no order of ranges avoids it. Images displayed in a page
 * are not recorded.
 */
async function recordDownload({ db, caller, origin, range }: Call, file: string): Promise<void> {
  const { siteId, userId, tokenHash: session, scopes } = caller;
  const key = `${siteId} ${session.toString('base64')} ${file}`;
  if (range !== undefined && partialDownloads.has(key)) return;
  await insertActivity(db, {
    siteId,
    userId,
    session,
    kind: ACTIVITY_TYPE.exported,
    exportDataType: DOWNLOAD_DOCUMENT,
    ip: origin.ip,
    source: scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web,
  });
  partialDownloads.set(key, true);
}

export const entryFileHandlers: Handlers<'getEntryFile'> = {
  async getEntryFile(call) {
    const { db, caller, params, query } = call;
    const { siteId } = caller;
    const entry = await findEntryValues(db, siteId, params.entryId);
    const type = entry && (await loadSchema(db, siteId)).typesById.get(entry.typeId);
    if (!entry || !type) throw notFound(`Entry ${params.entryId}`);
    const field = requireFileField(type, params.fieldId);
    const files =
      query.asOf === undefined
        ? ((entry.vals[field.id] ?? []) as readonly FileValue[])
        : await findFilesAsOf(
            db,
            { siteId, entryId: params.entryId, fieldId: field.id },
            parsePastTimestamp('asOf', query.asOf),
          );
    const file = files?.[query.seqNumber ?? 0];
    const hash = file && (await findFileHash(db, siteId, file.file));
    if (!file || !hash)
      throw notFound(`File ${query.seqNumber ?? 0} of ${field.apiName} of entry ${params.entryId}`);
    const inline = isRaster(file.type);
    const hasFirstByte = call.range === undefined || call.range.startsWith('bytes=0-');
    const lastModified =
      hasFirstByte && query.asOf === undefined
        ? await findFileDate(db, { siteId, entryId: params.entryId, fieldId: field.id }, file.file)
        : undefined;
    const etag = `"${hash.toString('base64url')}"`;
    if (!inline) await recordDownload(call, `${params.entryId} ${field.id} ${etag}`);
    return {
      status: 200,
      file: {
        blob: getContentName(hash),
        type: file.type,
        name: file.name,
        inline,
        etag,
        lastModified,
      },
    };
  },
};
