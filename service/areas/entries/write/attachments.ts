import type { BinaryStoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../../contract/rules/fields.ts';
import { type FieldError, badRequest } from '../../../kernel/api-error.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import type { UploadedFile } from '../../../kernel/http/uploads.ts';
import type { EntryType, FileValue, SchemaField } from '../../schema/index.ts';
import { isRaster, storeContent, detectMediaType } from '../files/content.ts';
import { upsertFile } from '../files/files.store.ts';
import { type EntryDraft, getOrCreateDraft, type ExistingEntries } from './entry-drafts.ts';

/** An uploaded file of a request, with its target cell and media type. */
export interface Attachment {
  request: BinaryStoreRequestVm;
  path: string;
  upload: UploadedFile;
  type: string;
}

/**
 * Stores the contents of the uploaded files and pairs them with the `binaryStoreRequests` in order (shapes 4).
 * @throws ApiError 400 when the numbers of files and requests differ
 */
export async function storeAttachments(
  requests: readonly BinaryStoreRequestVm[],
  files: readonly UploadedFile[],
  dataDir: string,
): Promise<Attachment[]> {
  if (requests.length !== files.length)
    throw badRequest([
      {
        path: 'binaryStoreRequests',
        message: `has ${requests.length} items for ${files.length} files: send a file for each, as multipart/form-data`,
      },
    ]);
  return Promise.all(
    requests.map(async (request, index) => {
      const upload = files[index];
      if (!upload) throw new Error('The numbers of files and requests differ');
      const type = await detectMediaType(upload.path);
      await storeContent(dataDir, upload);
      return { request, path: `binaryStoreRequests.${index}`, upload, type };
    }),
  );
}

/** Adds the files to the drafts of their entries; creates drafts of entries without other items. */
export async function addAttachments(
  tx: Tx,
  {
    siteId,
    type,
    existing,
    absent,
  }: { siteId: number; type: EntryType; existing: ExistingEntries; absent: (id: number) => string },
  attachments: readonly Attachment[],
  drafts: Map<number, EntryDraft>,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const attachment of attachments) {
    const { path, request } = attachment;
    const draft = getOrCreateDraft(drafts, request.entryId, path, existing);
    const field = type.fields.find(({ id }) => id === request.fieldId);
    if (!draft) errors.push({ path: `${path}.entryId`, message: absent(request.entryId) });
    if (!field)
      errors.push({
        path: `${path}.fieldId`,
        message: `${type.apiName} has no field with id ${request.fieldId}`,
      });
    if (draft && field) errors.push(...(await addAttachment(tx, siteId, attachment, draft, field)));
  }
  return errors;
}

/**
 * Adds a file to the draft of its entry, or replaces the file of a field with a single one. Files are identified by their
 * content: the same content and name again changes nothing, the same content under another name is rejected.
 */
async function addAttachment(
  tx: Tx,
  siteId: number,
  { request, path, upload, type }: Attachment,
  draft: EntryDraft,
  field: SchemaField,
): Promise<FieldError[]> {
  if (!isFileField(field.fieldType))
    return [{ path: `${path}.fieldId`, message: `${field.apiName} holds no files` }];
  if (field.fieldType === FIELD.image && !isRaster(type))
    return [
      {
        path,
        message: `"${request.name}" is not a PNG, JPEG, GIF or WebP image of at most 40 million pixels`,
      },
    ];
  const currentFiles = field.isMultiSelect ? ((draft.after[field.id] ?? []) as readonly FileValue[]) : [];
  const fileId = await upsertFile(tx, siteId, { hash: upload.hash, size: upload.size, type });
  draft.touched.set(field.id, { field, path });
  const existingFile = currentFiles.find((each) => each.file === fileId);
  if (existingFile && existingFile.name !== request.name)
    return [
      {
        path,
        message: `"${request.name}" is the same file as "${existingFile.name}", which ${field.apiName} holds`,
      },
    ];
  if (existingFile) return [];
  draft.after[field.id] = [...currentFiles, { file: fileId, name: request.name, type, size: upload.size }];
  return [];
}
