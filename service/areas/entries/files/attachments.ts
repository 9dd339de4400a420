import type { BinaryStoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../../contract/rules/fields.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import { type FieldError, invalid } from '../../../kernel/http/errors.ts';
import type { Upload } from '../../../kernel/http/uploads.ts';
import type { EntryType, FileValue, SchemaField } from '../../schema/index.ts';
import { isRaster, keepContent, mediaTypeOf } from './content.ts';
import { type Draft, draftFor, type Existing } from '../write/drafts.ts';
import { fileIdOf } from './files.store.ts';

/** A file of a request: which cell it is for, and what it holds. */
export interface Attachment {
  request: BinaryStoreRequestVm;
  path: string;
  upload: Upload;
  type: string;
}

/**
 * The files of a request with what asks for them, in order (shapes 4); their contents are on the disk when this answers.
 * @throws ApiError 400 when there are not as many files as requests for them
 */
export async function attachmentsOf(
  requests: readonly BinaryStoreRequestVm[],
  files: readonly Upload[],
  dataDir: string,
): Promise<Attachment[]> {
  if (requests.length !== files.length)
    throw invalid([
      {
        path: 'binaryStoreRequests',
        message: `has ${requests.length} items for ${files.length} files: send a file for each, as multipart/form-data`,
      },
    ]);
  return Promise.all(
    requests.map(async (request, index) => {
      const upload = files[index];
      if (!upload) throw new Error('There are as many files as requests');
      const type = await mediaTypeOf(upload.path);
      await keepContent(dataDir, upload);
      return { request, path: `binaryStoreRequests.${index}`, upload, type };
    }),
  );
}

/** Puts the files into the drafts of their entries, beginning those that no other item names. */
export async function attachAll(
  tx: Tx,
  {
    siteId,
    type,
    existing,
    absent,
  }: { siteId: number; type: EntryType; existing: Existing; absent: (id: number) => string },
  attachments: readonly Attachment[],
  drafts: Map<number, Draft>,
): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  for (const attachment of attachments) {
    const { path, request } = attachment;
    const draft = draftFor(drafts, request.entryId, path, existing);
    const field = type.fields.find(({ id }) => id === request.fieldId);
    if (!draft) faults.push({ path: `${path}.entryId`, message: absent(request.entryId) });
    if (!field)
      faults.push({
        path: `${path}.fieldId`,
        message: `${type.apiName} has no field with id ${request.fieldId}`,
      });
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    if (draft && field) faults.push(...(await attach(tx, siteId, attachment, draft, field)));
  }
  return faults;
}

/**
 * Puts a file into the draft of its entry: a field of several files gets one more, one of a single file another. A file is
 * known by its content: the same one again changes nothing, and under another name it could not be told from the first.
 */
async function attach(
  tx: Tx,
  siteId: number,
  { request, path, upload, type }: Attachment,
  draft: Draft,
  field: SchemaField,
): Promise<FieldError[]> {
  if (!isFileField(field.fieldType))
    return [{ path: `${path}.fieldId`, message: `${field.apiName} holds no files` }];
  if (field.fieldType === FIELD.image && !isRaster(type))
    return [
      { path, message: `"${request.name}" is no PNG, JPEG, GIF or WebP image of at most 40 million pixels` },
    ];
  const held = field.isMultiSelect ? ((draft.after[field.id] ?? []) as readonly FileValue[]) : [];
  const file = await fileIdOf(tx, siteId, { hash: upload.hash, size: upload.size, type });
  draft.touched.set(field.id, { field, path });
  const same = held.find((each) => each.file === file);
  if (same && same.name !== request.name)
    return [
      { path, message: `"${request.name}" is the same file as "${same.name}", which ${field.apiName} holds` },
    ];
  if (same) return [];
  draft.after[field.id] = [...held, { file, name: request.name, type, size: upload.size }];
  return [];
}
