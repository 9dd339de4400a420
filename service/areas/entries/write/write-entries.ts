import type {
  DataRequestResultVm,
  StoreRequestsVm,
  BinaryStoreRequestVm,
} from '../../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { getNearKey } from '../../../../contract/rules/schema/near-names.ts';
import { badRequest, type FieldError, hasEnoughErrors } from '../../../kernel/api-error.ts';
import { getActor, change, type Recorder } from '../../../kernel/audit/change.ts';
import { getAuthor as getCallerAuthor } from '../../../kernel/auth/caller.ts';
import { sendEarly, type Tx } from '../../../kernel/db/database.ts';
import { lockStorage, requireStorage } from '../../../kernel/files/storage-quota.store.ts';
import type { UploadedFile } from '../../../kernel/http/bodies/uploads.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { lockWithSchema, type EntryType, type SchemaField, type FileValue } from '../../schema/index.ts';
import { detectMediaType, isRaster, stageContents, storeContents } from '../files/content.ts';
import { upsertFile } from '../files/files.store.ts';
import { loadZones, requireType } from '../query/resolve-query.ts';
import {
  findChangedFields,
  buildDrafts,
  listFieldsToRead,
  findMissingFields,
  type EntryDraft,
  getOrCreateDraft,
  refuseRepeatedCell,
  type ExistingEntries,
} from './entry-drafts.ts';
import { buildEntryChanges, loadChangeNames } from './event-cells.ts';
import { lockEntries, lockReferencedEntries } from './locks.store.ts';
import { extractIds, type CellWrite } from './parse-value.ts';
import * as store from './write.store.ts';

/** Maximum number of store requests and files of one request. */
const MAX_ITEMS = 10_000;

type WriteCall = Pick<Call, 'db' | 'caller' | 'origin' | 'services' | 'files'> & {
  params: { entryTypeId: string };
  body: StoreRequestsVm;
  query: { dateTimeBehavior?: number };
};

/** Path of the files of a request; those of `storeRequests` do not start with it. */
const FILE_REQUESTS = 'binaryStoreRequests';

/** So many new entries are inserted while the process prepares their event. */
const MIN_ENTRIES_SENT_EARLY = 50;

/** Name of the task that calculates entries (calculate/recalculate.ts). */
export const RECALCULATE_TASK = 'recalculate';

/** The user and proxy to whom the log attributes the changes of a request. */
export const getAuthor = ({ caller }: Pick<Call, 'caller'>): store.Author => ({
  siteId: caller.siteId,
  userId: getCallerAuthor(caller).userId,
  proxyId: caller.acting ? caller.userId : null,
});

/** Ids of the entries that the items refer to. */
export function listReferencedIds(items: readonly CellWrite[], type: EntryType): number[] {
  const references = new Set(
    type.fields.filter(({ fieldType }) => fieldType === FIELD.reference).map(({ id }) => id),
  );
  return [
    ...new Set(items.flatMap(({ fieldId, value }) => (references.has(fieldId) ? extractIds(value) : []))),
  ];
}

/** Gives new entries the next number of each counter field, in the order of the request. */
export async function assignCounterNumbers(
  tx: Tx,
  siteId: number,
  type: EntryType,
  drafts: readonly EntryDraft[],
): Promise<void> {
  const newDrafts = drafts.filter((draft) => draft.isNew);
  if (newDrafts.length === 0) return;
  for (const field of type.fields.filter(({ fieldType }) => fieldType === FIELD.counter)) {
    // Every transaction locks the counters in the same order.
    const first = await store.takeCounterNumbers(tx, siteId, field.id, newDrafts.length);
    for (const [index, draft] of newDrafts.entries()) draft.after[field.id] = first + index;
  }
}

/**
 * Stores the drafts; returns the ids of new entries by their negative ids of the request. A new entry with a positive id keeps it: the
 * caller has reserved it. `lockedAt`: a time at which the entries were locked; default: now.
 */
export async function storeDrafts(
  tx: Tx,
  author: store.Author,
  type: EntryType,
  drafts: readonly EntryDraft[],
  lockedAt?: Date,
) {
  const newDrafts = drafts.filter((draft) => draft.isNew);
  const numberedDrafts = newDrafts.filter(({ entryId }) => entryId < 0);
  const newIds = numberedDrafts.length > 0 ? await store.reserveEntryIds(tx, numberedDrafts.length) : [];
  const storedIds = new Map(numberedDrafts.map((draft, index) => [draft.entryId, newIds[index] ?? 0]));
  const writes = drafts.map((draft) => ({
    entryId: storedIds.get(draft.entryId) ?? draft.entryId,
    before: draft.before,
    after: draft.after,
    changed: draft.isNew
      ? []
      : findChangedFields(
          draft,
          [...draft.touched.values()].map(({ field }) => field),
        ),
    isNew: draft.isNew,
  }));
  const inserts = writes.filter(({ isNew }) => isNew);
  const updates = writes.filter(({ isNew, changed }) => !isNew && changed.length > 0);
  const at = lockedAt ?? (await store.getChangeTime(tx));
  if (inserts.length > 0) store.insertEntries(tx, author, type, inserts, { at });
  if (inserts.length >= MIN_ENTRIES_SENT_EARLY) await sendEarly(tx);
  if (updates.length > 0)
    store.updateEntries(
      tx,
      author,
      type,
      updates.toSorted((a, b) => a.entryId - b.entryId),
      at,
      store.CAUSE.user,
    );
  const writtenIds = [...inserts, ...updates].map(({ entryId }) => entryId);
  if (type.fields.some((field) => field.isCalculated) && writtenIds.length > 0)
    store.queueCalculations(tx, author.siteId, writtenIds);
  return {
    storedIds,
    created: inserts,
    updated: updates,
    changedFields: [...new Set(updates.flatMap(({ changed }) => changed))],
    at,
  };
}

const AUDIT_ACTIONS = { created: 'entry.create', updated: 'entry.update', deleted: 'entry.delete' } as const;
type AuditAction = (typeof AUDIT_ACTIONS)[keyof typeof AUDIT_ACTIONS] | 'entry.calculate' | 'entry.restore';

/** Records one audit row for the request (`cell_log` has the values) and one event with the written cells. */
export async function recordEntryChanges(
  tx: Tx,
  record: Recorder,
  operation: {
    siteId: number;
    type: EntryType;
    kind: keyof typeof AUDIT_ACTIONS;
    action?: AuditAction;
    /** Fields of which values changed; required for caches to survive an update of other fields. */
    changedFields?: readonly SchemaField[];
    /** Result of `loadChangeNames`; default: they are loaded. */
    names?: store.EventNames;
  },
  writes: readonly store.EntryWrite[],
  extraChanges: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (writes.length === 0) return;
  const { siteId, type, kind, action = AUDIT_ACTIONS[kind], changedFields } = operation;
  const names = operation.names ?? (await loadChangeNames(tx, siteId, type, kind, writes));
  record({
    action,
    subject: ['entry-type', type.id],
    changes: { entries: writes.map(({ entryId }) => entryId), ...extraChanges },
    event: {
      topic: 'default-data',
      entityType: 'Data',
      kind,
      isCalculated: action === 'entry.calculate',
      entryListId: type.id,
      entries: buildEntryChanges(type.fields, kind, writes, names),
    },
    typeChange: { typeId: type.id, fieldIds: changedFields?.map(({ id }) => id) ?? 'all' },
  });
}

/**
 * Creates and changes entries (spec 4.4; shapes 4). Negative ids denote new entries; items with the same id belong to the
 * same entry.
 * @throws ApiError 400 with all errors if any item is invalid; nothing is stored then
 */
export async function writeEntries(
  call: WriteCall,
  options: { onlyNew: boolean },
): Promise<DataRequestResultVm[]> {
  const { db, caller, params, body } = call;
  const items = body.storeRequests ?? [];
  const files = body.binaryStoreRequests ?? [];
  if (items.length + files.length > MAX_ITEMS)
    throw badRequest([
      { path: 'storeRequests', message: `has too many items: ${MAX_ITEMS} at most, files included` },
    ]);
  const behavior = call.query.dateTimeBehavior === 1 ? 1 : 0;
  const zones = await loadZones(db, caller, behavior);
  const author = getAuthor(call);
  const attachments = await pairAttachments(files, call.files);
  await using staged = await stageContents(
    call.services.blobs,
    attachments.map(({ upload }) => upload),
  );
  const allItems = [...items, ...attachments.map(({ request }) => request)];
  const describeAbsent = (id: number): string =>
    options.onlyNew ? 'must be negative: only new entries are created here' : `Entry ${id} does not exist`;
  // Awaited, because what was staged is removed when the function returns.
  return await change(db, getActor(call), async (tx, record) => {
    const existingIds = options.onlyNew
      ? []
      : [...new Set(allItems.map(({ entryId }) => entryId))].filter((id) => id > 0);
    const { type, types, existing, lockedAt } = await lockWithSchema(tx, author.siteId, async (schema) => {
      const typeToWrite = requireType(schema, params.entryTypeId);
      const fieldIds = listFieldsToRead(
        typeToWrite,
        allItems.map(({ fieldId }) => fieldId),
      );
      const referencedIds = listReferencedIds(items, typeToWrite);
      const [referencedTypes, entries, at] = await Promise.all([
        referencedIds.length > 0
          ? lockReferencedEntries(tx, author.siteId, [...existingIds, ...referencedIds])
          : new Map<number, number>(),
        existingIds.length > 0
          ? lockEntries(tx, author.siteId, typeToWrite, existingIds, fieldIds)
          : new Map<number, never>(),
        store.getChangeTime(tx),
      ]);
      return { type: typeToWrite, types: referencedTypes, existing: entries, lockedAt: at };
    });
    const { drafts: draftsById, errors: itemErrors } = buildDrafts(
      items,
      type,
      existing,
      { behavior, zones },
      describeAbsent,
    );
    const usedBefore = attachments.length > 0 ? await lockStorage(tx, author.siteId) : 0;
    itemErrors.push(
      ...(await addAttachments(
        tx,
        { siteId: author.siteId, type, existing, absent: describeAbsent },
        attachments,
        draftsById,
      )),
    );
    // With more errors than are reported, buildDrafts stops early, so the drafts cannot be checked any further.
    if (hasEnoughErrors(itemErrors)) throw badRequest(itemErrors);
    const drafts = [...draftsById.values()];
    const errors = [
      ...itemErrors,
      ...(await findDraftErrors(tx, author.siteId, { type, drafts, referencedTypes: types })),
    ];
    if (errors.length > 0) throw badRequest(errors);
    if (attachments.length > 0)
      await requireStorage(tx, author.siteId, {
        usedBefore,
        defaultQuota: call.services.storageQuota,
        path: FILE_REQUESTS,
      });
    await assignCounterNumbers(tx, author.siteId, type, drafts);
    const { storedIds, created, updated, changedFields, at } = await storeDrafts(
      tx,
      author,
      type,
      drafts,
      lockedAt,
    );
    const { siteId } = author;
    await recordEntryChanges(tx, record, { siteId, type, kind: 'created' }, created);
    await recordEntryChanges(tx, record, { siteId, type, kind: 'updated', changedFields }, updated);
    // After all checks and rows, so that a refused request leaves no contents in the store.
    await storeContents(tx, call.services.blobs, staged);
    const modifiedAt = at.toISOString();
    return allItems.map((item): DataRequestResultVm => {
      const entryId = storedIds.get(item.entryId) ?? item.entryId;
      const draft = draftsById.get(item.entryId);
      const written = draft?.touched.get(item.fieldId)?.field;
      const isChanged = draft && written && (draft.isNew || findChangedFields(draft, [written]).length > 0);
      return {
        entryId,
        rowId: entryId,
        fieldId: item.fieldId,
        isNoData: draft?.after[item.fieldId] === undefined,
        ...(isChanged && { modified: modifiedAt, modifiedBy: author.userId }),
      };
    });
  });
}

/**
 * Errors that only all values of an entry, or other entries, show: missing required values, ids that do not exist, similar names.
 * `referencedTypes` has the type ids of the existing referenced entries. Of two drafts with similar names both are errors, or with
 * `areFirstKept` the later one, as if they were written one after another.
 */
export async function findDraftErrors(
  tx: Tx,
  siteId: number,
  {
    type,
    drafts,
    referencedTypes,
    areFirstKept = false,
  }: {
    type: EntryType;
    drafts: readonly EntryDraft[];
    referencedTypes: ReadonlyMap<number, number>;
    areFirstKept?: boolean;
  },
): Promise<FieldError[]> {
  return [
    ...findMissingFields(drafts, type),
    ...(await findUnknownIds(tx, siteId, drafts, referencedTypes)),
    ...(await findNearDuplicateErrors(tx, siteId, type, drafts, areFirstKept)),
  ];
}

/**
 * Errors of ids of entries and users that do not exist; `types` has the type ids of the existing referenced entries. A user who has left
 * the site may stay in the field that names them.
 */
async function findUnknownIds(
  tx: Tx,
  siteId: number,
  drafts: readonly EntryDraft[],
  types: ReadonlyMap<number, number>,
): Promise<FieldError[]> {
  const referenced = drafts.flatMap((draft) =>
    [...draft.touched.values()].flatMap(({ field, path, isRefused }) => {
      if (isRefused) return [];
      const stored = new Set(field.fieldType === FIELD.user ? extractIds(draft.before[field.id]) : []);
      return extractIds(draft.after[field.id])
        .filter((id) => !stored.has(id))
        .map((id) => ({ field, path: `${path}.value`, id }));
    }),
  );
  const references = referenced.filter(({ field }) => field.fieldType === FIELD.reference);
  const users = referenced.filter(({ field }) => field.fieldType === FIELD.user);
  const members =
    users.length > 0
      ? await store.findMemberIds(tx, siteId, [...new Set(users.map(({ id }) => id))])
      : new Set<number>();
  return [
    ...references.flatMap(({ field, path, id }) => {
      const type = types.get(id);
      if (type === undefined) return [{ path, message: `Entry ${id} does not exist` }];
      return field.entryLists.length === 0 || field.entryLists.includes(type)
        ? []
        : [{ path, message: `Entry ${id} is of a type that ${field.apiName} does not refer to` }];
    }),
    ...users
      .filter(({ id }) => !members.has(id))
      .map(({ path, id }) => ({ path, message: `User ${id} is not on this site` })),
  ];
}

/** Errors of names similar to those of stored entries or of the same request, unless the item has ignoreNearDups. */
async function findNearDuplicateErrors(
  tx: Tx,
  siteId: number,
  type: EntryType,
  drafts: readonly EntryDraft[],
  areFirstKept: boolean,
): Promise<FieldError[]> {
  const named = drafts.flatMap((draft) => {
    const name = draft.after[type.keyField.id];
    const touched = draft.touched.get(type.keyField.id);
    if (!touched || typeof name !== 'string' || name === draft.before[type.keyField.id]) return [];
    const key = getNearKey(name);
    return key === undefined ? [] : [{ draft, key, name, path: `${touched.path}.value` }];
  });
  const checked = named.filter(({ draft }) => !draft.ignoreNearDups);
  if (checked.length === 0) return [];
  const renamedIds = named.filter(({ draft }) => !draft.isNew).map(({ draft }) => draft.entryId);
  const stored = await store.findNearDuplicates(
    tx,
    siteId,
    type.id,
    [...new Set(checked.map(({ key }) => key))],
    renamedIds,
  );
  const draftsByKey = Map.groupBy(named, ({ key }) => key);
  return checked.flatMap(({ draft, key, path }) => {
    const near = stored.get(key);
    const hint = 'set ignoreNearDups to store it anyway';
    if (near)
      return [{ path, message: `"${near.name}" (entry ${near.entryId}) has nearly the same name; ${hint}` }];
    const similar = draftsByKey.get(key) ?? [];
    const [first] = similar;
    const duplicate = areFirstKept ? first : similar.find((other) => other.draft !== draft);
    return duplicate && duplicate.draft !== draft
      ? [{ path, message: `"${duplicate.name}" in this request has nearly the same name; ${hint}` }]
      : [];
  });
}

/** An uploaded file of a request, with its target cell and media type. */
interface Attachment {
  request: BinaryStoreRequestVm;
  path: string;
  upload: UploadedFile;
  type: string;
}

/**
 * Pairs the uploaded files with the `binaryStoreRequests` in order (shapes 4) and detects their media types.
 * @throws ApiError 400 when the numbers of files and requests differ
 */
async function pairAttachments(
  requests: readonly BinaryStoreRequestVm[],
  files: readonly UploadedFile[],
): Promise<Attachment[]> {
  if (requests.length !== files.length)
    throw badRequest([
      {
        path: FILE_REQUESTS,
        message: `has ${requests.length} items for ${files.length} files: send a file for each, as multipart/form-data`,
      },
    ]);
  return Promise.all(
    requests.map(async (request, index) => {
      const upload = files[index];
      if (!upload) throw new Error('The numbers of files and requests differ');
      const type = await detectMediaType(upload.path);
      return { request, path: `${FILE_REQUESTS}.${index}`, upload, type };
    }),
  );
}

/** Adds the files to the drafts of their entries; creates drafts of entries without other items. */
async function addAttachments(
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
  const previousPath = draft.touched.get(field.id)?.path;
  // Clearing the field and storing a file replaces the file.
  if (!field.isMultiSelect && previousPath?.startsWith(FILE_REQUESTS))
    return [refuseRepeatedCell(draft, field, path, previousPath)];
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
