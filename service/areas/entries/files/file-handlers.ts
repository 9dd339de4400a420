import { isFileField } from '../../../../contract/rules/fields.ts';
import { ACTIVITY, SOURCE, writeActivity } from '../../../kernel/audit/activity.store.ts';
import { invalid, notFound } from '../../../kernel/http/errors.ts';
import type { Call, Handlers } from '../../../kernel/http/handler.ts';
import {
  findField,
  type EntryType,
  type FileValue,
  loadSchema,
  type SchemaField,
} from '../../schema/index.ts';
import { contentPath, isRaster } from './content.ts';
import { findEntry, hashOf } from './files.store.ts';

/** Download Document (shapes 2, exportDataType). */
const DOCUMENT = 3;

/** The field that a path names: by its number or by its apiName without regard to case. */
function fieldCalled(type: EntryType, idOrName: string): SchemaField {
  const field = /^\d+$/.test(idOrName)
    ? type.fields.find(({ id }) => id === Number(idOrName))
    : findField(type, idOrName);
  if (!field) throw notFound(`Field "${idOrName}" of ${type.apiName}`);
  if (!isFileField(field.fieldType))
    throw invalid([{ path: 'fieldId', message: `${field.apiName} holds no files` }]);
  return field;
}

/** Pictures that a page shows are no downloads. */
async function recordDownload({ db, caller, origin }: Call): Promise<void> {
  const { siteId, userId, tokenHash: session, scopes } = caller;
  await writeActivity(db, {
    siteId,
    userId,
    session,
    kind: ACTIVITY.exported,
    exportDataType: DOCUMENT,
    ip: origin.ip,
    source: scopes ? SOURCE.api : SOURCE.web,
  });
}

export const entryFileHandlers: Handlers<'getEntryFile'> = {
  async getEntryFile(call) {
    const { db, caller, params, query, services } = call;
    const { siteId } = caller;
    const entry = await findEntry(db, siteId, params.entryId);
    const type = entry && (await loadSchema(db, siteId)).typesById.get(entry.typeId);
    if (!entry || !type) throw notFound(`Entry ${params.entryId}`);
    const field = fieldCalled(type, params.fieldId);
    const files = (entry.vals[field.id] ?? []) as readonly FileValue[];
    const file = files[query.seqNumber ?? 0];
    const hash = file && (await hashOf(db, siteId, file.file));
    if (!file || !hash)
      throw notFound(`File ${query.seqNumber ?? 0} of ${field.apiName} of entry ${params.entryId}`);
    const inline = isRaster(file.type);
    if (!inline) await recordDownload(call);
    return {
      status: 200,
      file: {
        path: contentPath(services.dataDir, hash),
        type: file.type,
        name: file.name,
        inline,
        etag: `"${hash.toString('base64url')}"`,
      },
    };
  },
};
