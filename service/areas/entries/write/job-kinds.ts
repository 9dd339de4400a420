import type { JobCellValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { badRequest, type FieldError } from '../../../kernel/api-error.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { parseTimestamp } from '../../../kernel/http/parameters.ts';
import { defineJobKind, type ItemOutcome, type StoredItems } from '../../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../../kernel/numbers.ts';
import { getListedItems } from '../../jobs/index.ts';
import {
  loadSchema,
  lockSchemaShared,
  type EntryType,
  type SchemaField,
  type StoredValue,
} from '../../schema/index.ts';
import { loadZones, requireType, UTC } from '../query/resolve-query.ts';
import * as bulk from './bulk.store.ts';
import { deleteLockedEntries, lockForDeletion } from './delete-entries.ts';
import { findReferences } from './deleted-references.ts';
import { applyItem, findChangedFields, getOrCreateDraft, listFieldsToRead } from './entry-drafts.ts';
import type { EntryDraft } from './entry-drafts.ts';
import { lockEntries, lockReferencedEntries } from './locks.store.ts';
import { parseValue, type CellWrite } from './parse-value.ts';
import {
  findDraftErrors,
  getAuthor,
  listReferencedIds,
  RECALCULATE_TASK,
  recordEntryChanges,
  storeDrafts,
} from './write-entries.ts';
import type { Author } from './write.store.ts';

/** An entry with values in the form of store requests; dates without a time zone are in UTC. */
export interface EntryUpdate {
  entryId: number;
  /** Values of this entry, if the job has no values of all entries. */
  values?: readonly JobCellValue[];
  /** Values that the review read; an entry with another value is skipped. */
  expected?: readonly JobCellValue[];
}

interface EntryUpdateParameters {
  typeId: number;
  /** Values that all entries get. */
  values: readonly JobCellValue[];
  /** Fields of the values of the entries, for the title; unknown if the entries are uploaded. */
  fieldIds?: readonly number[];
  ignoreNearDups: boolean;
  reviewedAt?: string;
  /** Whether the job restores what another replaced. */
  isUndo?: boolean;
}

/** Values of a transaction in bytes, roughly as many as one request may have. */
export const MAX_BATCH_BYTES = 16_777_216;

/** Job that sets values of entries. */
export const updateEntriesJob = defineJobKind<EntryUpdateParameters, EntryUpdate>({
  kind: 'entries.update',
  operation: 'startEntryUpdates',
  itemSchema: 'EntryUpdate',
  uniqueBy: 'entryId',
  capabilities: ['Read Data'],
  labels: bulk.ENTRY_LABELS,
  wakes: [RECALCULATE_TASK],
  locksSite: () => false,
  describe: describeUpdate,
  async run({ tx, caller, record, parameters, items }) {
    if (items.length > 1 && JSON.stringify(parameters.values).length * items.length > MAX_BATCH_BYTES)
      throw badRequest([{ path: 'values', message: `are too long for ${items.length} entries at once` }]);
    const author = getAuthor({ caller });
    const schema = await lockSchemaShared(tx, author.siteId);
    const type = schema.typesById.get(parameters.typeId);
    if (!type) return items.map(() => failed(TYPE_DELETED));
    const zones = await loadZones(tx, caller, 0);
    const cells = items.map((item) => toCells(parameters, item));
    const { existing, referencedTypes } = await lockBatch(tx, author.siteId, type, cells.flat());
    const ids = items.map(({ entryId }) => entryId);
    const deletions = await bulk.listDeletions(
      tx,
      author.siteId,
      ids.filter((id) => !existing.has(id)),
    );
    const changedSince = await listConflicts(tx, author, parameters, cells.flat());
    const fields = new Map(type.fields.map((field) => [field.id, field]));
    const drafts = new Map<number, EntryDraft>();
    const prepare = ({ entryId }: EntryUpdate, index: number): ItemOutcome | undefined => {
      const path = `items.${index}`;
      const errors: FieldError[] = [];
      for (const [at, cell] of (cells[index] ?? []).entries()) {
        const field = fields.get(cell.fieldId);
        if (!field) return failed('A field of this change was deleted from the schema');
        if (isFileField(field.fieldType)) return failed(`Files of ${field.name} cannot be changed by a job`);
        const draft = getOrCreateDraft(drafts, entryId, path, existing);
        if (!draft) return conflict(describeMissing(deletions.get(entryId)));
        errors.push(...applyItem(draft, cell, field, `${path}.values.${at}`, { behavior: 0, zones }));
        if (cell.expected === undefined && changedSince.get(entryId)?.has(field.id))
          errors.push({ path: `${path}.values.${at}.expected`, message: '' });
      }
      const draft = drafts.get(entryId);
      if (!draft) return failed('This entry has no values to set');
      return findOutcome(draft, errors, fields, cells[index] ?? []);
    };
    const outcomes = items.map((item, index) => {
      const outcome = prepare(item, index);
      if (outcome) drafts.delete(item.entryId);
      return outcome;
    });
    await refuseDrafts(tx, author.siteId, { type, drafts, referencedTypes, outcomes, fields, cells });
    if (drafts.size > 0) {
      const stored = await storeDrafts(tx, author, type, [...drafts.values()]);
      await recordEntryChanges(
        tx,
        record,
        { siteId: author.siteId, type, kind: 'updated', changedFields: stored.changedFields },
        stored.updated,
      );
    }
    return items.map(({ entryId }, index) => {
      const draft = drafts.get(entryId);
      return outcomes[index] ?? { state: 'done', before: { values: draft ? listReplaced(draft) : [] } };
    });
  },
  invert: ({ typeId, values }, done) => ({
    kind: 'entries.update',
    parameters: {
      typeId,
      values: [],
      fieldIds: [...new Set(done.flatMap(({ before }) => getReplaced(before).map(({ fieldId }) => fieldId)))],
      ignoreNearDups: true,
      isUndo: true,
    },
    items: done.map(({ input, before }) => {
      const replaced = getReplaced(before);
      const written = [...values, ...(input.values ?? [])];
      return {
        entryId: input.entryId,
        values: replaced,
        expected: replaced.flatMap(({ fieldId }) => written.find((cell) => cell.fieldId === fieldId) ?? []),
      };
    }),
  }),
  joinInverses({ kind, parameters }, other) {
    const fieldIds = [parameters, other.parameters].flatMap(
      (each) => (each as EntryUpdateParameters).fieldIds ?? [],
    );
    return { kind, parameters: { ...parameters, fieldIds: [...new Set(fieldIds)] } };
  },
});

interface EntryDeletionParameters {
  typeId: number;
  reviewedAt?: string;
}

/** Job that deletes entries; only administrators who may restore entries can undo it (spec 4.4). */
export const deleteEntriesJob = defineJobKind<EntryDeletionParameters, { entryId: number }>({
  kind: 'entries.delete',
  operation: 'startEntryDeletions',
  itemSchema: 'EntryItem',
  uniqueBy: 'entryId',
  capabilities: ['Read Data'],
  labels: bulk.ENTRY_LABELS,
  wakes: [RECALCULATE_TASK],
  locksSite: () => false,
  describe: async ({ db, siteId }, { typeId }, items) =>
    `Delete ${formatEntries((await loadSchema(db, siteId)).typesById.get(typeId), items.length)}`,
  async run({ tx, caller, record, startedAt, parameters, items }) {
    const author = getAuthor({ caller });
    const { siteId, userId } = author;
    const schema = await lockSchemaShared(tx, siteId);
    const type = schema.typesById.get(parameters.typeId);
    if (!type) return items.map(() => failed(TYPE_DELETED));
    const ids = items.map(({ entryId }) => entryId);
    const locked = await lockForDeletion(tx, schema, ids);
    const deletions = await bulk.listDeletions(
      tx,
      siteId,
      ids.filter((id) => !locked.entries.has(id)),
    );
    const changed =
      parameters.reviewedAt === undefined
        ? new Set<number>()
        : await bulk.listChangedByOthers(tx, siteId, {
            ids,
            since: parseTimestamp('reviewedAt', parameters.reviewedAt),
            userId,
          });
    const references = await findReferences(tx, { siteId, type, startedAt }, [...locked.entries.values()]);
    const deletedIds = new Set(
      await deleteLockedEntries(tx, schema, record, {
        author,
        type,
        locked,
        ids: ids.filter((id) => !changed.has(id)),
      }),
    );
    return ids.map((id): ItemOutcome => {
      const held = references.get(id);
      if (deletedIds.has(id))
        return { state: 'done', before: { deletedBy: userId, ...(held && { references: held }) } };
      if (locked.entries.get(id)?.typeId === type.id) return conflict('Was changed in the meantime');
      const deletion = deletions.get(id);
      return deletion && !deletion.isMerged ? { state: 'unchanged' } : conflict(describeMissing(deletion));
    });
  },
  invert: ({ typeId }, done) => ({
    kind: 'entries.restore',
    parameters: { typeId },
    items: done.map(({ input, before }) => ({ ...input, deletedBy: (before as Deletion | null)?.deletedBy })),
    // The entries to which they refer may be restored later than they.
    lastItems: done.flatMap(({ input, before }) => {
      const references = (before as Deletion | null)?.references;
      return references ? { ...input, references } : [];
    }),
  }),
});

/** Values that the deletion of an entry by a job replaced. */
interface Deletion {
  deletedBy: number | null;
  /** Values of reference fields before the job, by field id, with references to entries that the job may have deleted. */
  references?: Readonly<Record<string, StoredValue>>;
}

export const TYPE_DELETED = 'The entry type was deleted';

/** A number of entries with the name of their type: `1,204 Companies`. */
export const formatEntries = (type: EntryType | undefined, count: number): string =>
  pluralize(count, type?.singularName ?? 'entry', type?.pluralName ?? 'entries');

export const failed = (reason: string): ItemOutcome => ({ state: 'failed', reason });
const getReplaced = (before: object | null): readonly JobCellValue[] =>
  (before as { values: JobCellValue[] } | null)?.values ?? [];

export const conflict = (reason: string): ItemOutcome => ({ state: 'conflict', reason });

export const describeMissing = (deletion: { isMerged: boolean } | undefined): string => {
  if (!deletion) return 'Does not exist';
  return deletion.isMerged ? 'Was merged into another entry' : 'Was deleted';
};

/** The values of an item as store requests with what they expect. */
function toCells({ values, ignoreNearDups }: EntryUpdateParameters, item: EntryUpdate): CellWrite[] {
  const expected = new Map(item.expected?.map(({ fieldId, ...value }) => [fieldId, value]));
  return [...values, ...(item.values ?? [])].map((cell) => ({
    ...cell,
    entryId: item.entryId,
    ignoreNearDups,
    ...(expected.has(cell.fieldId) && { expected: expected.get(cell.fieldId) }),
  }));
}

/** Locks the entries of a batch, and those that it refers to, in the order of all writers. */
async function lockBatch(tx: Tx, siteId: number, type: EntryType, cells: readonly CellWrite[]) {
  const ids = [...new Set(cells.map(({ entryId }) => entryId))];
  const referencedIds = listReferencedIds(cells, type);
  const referencedTypes =
    referencedIds.length > 0
      ? await lockReferencedEntries(tx, siteId, [...ids, ...referencedIds])
      : new Map<number, number>();
  const fieldIds = listFieldsToRead(
    type,
    cells.map(({ fieldId }) => fieldId),
  );
  return { referencedTypes, existing: await lockEntries(tx, siteId, type, ids, fieldIds) };
}

/** Fields that others changed after the review, of entries of which the review did not say what it read. */
async function listConflicts(
  tx: Tx,
  { siteId, userId }: Author,
  { reviewedAt }: EntryUpdateParameters,
  cells: readonly CellWrite[],
): Promise<Map<number, Set<number>>> {
  const unknown = cells.filter(({ expected }) => expected === undefined);
  if (reviewedAt === undefined || unknown.length === 0) return new Map();
  return bulk.listFieldsChangedByOthers(tx, siteId, {
    ids: unknown.map(({ entryId }) => entryId),
    fieldIds: [...new Set(unknown.map(({ fieldId }) => fieldId))],
    since: parseTimestamp('reviewedAt', reviewedAt),
    userId,
  });
}

/** Whether an error says that a field no longer has the value of the review. */
const isConflict = ({ path }: FieldError): boolean => path.endsWith('.expected');

/** The outcome of a draft that is not stored; undefined if nothing speaks against it. */
export function findOutcome(
  draft: EntryDraft,
  errors: readonly FieldError[],
  fields: ReadonlyMap<number, SchemaField>,
  cells: readonly CellWrite[],
): ItemOutcome | undefined {
  const touched = [...draft.touched.values()].map(({ field }) => field);
  // Someone else may have set the same values: then nothing is left to do.
  if (errors.every(isConflict) && findChangedFields(draft, touched).length === 0)
    return { state: 'unchanged' };
  const [first] = errors.toSorted((a, b) => Number(isConflict(b)) - Number(isConflict(a)));
  return first && toRefusal(first, fields, cells);
}

const VALUE_INDEX = /^items\.\d+\.values\.(\d+)/;

const NEAR_DUPLICATE_HINT = /; set ignoreNearDups .*$/;

/** The outcome of an item with this error, in words that name the field as people see it. */
export function toRefusal(
  { path, message }: FieldError,
  fields: ReadonlyMap<number, SchemaField>,
  cells: readonly CellWrite[],
): ItemOutcome {
  const cell = cells[Number(VALUE_INDEX.exec(path)?.[1] ?? Number.NaN)];
  const field = cell && fields.get(cell.fieldId);
  if (path.endsWith('.expected')) return conflict(`${field?.name ?? 'A field'} was changed in the meantime`);
  const reason = message.replace(NEAR_DUPLICATE_HINT, '');
  return failed(field && !reason.includes(field.apiName) ? `${field.name}: ${reason}` : reason);
}

/**
 * Sets the drafts aside that other entries or the values of the whole entry speak against, until all others can be stored together:
 * a name that is not given after all may be similar to that of another draft.
 */
async function refuseDrafts(
  tx: Tx,
  siteId: number,
  batch: {
    type: EntryType;
    drafts: Map<number, EntryDraft>;
    referencedTypes: ReadonlyMap<number, number>;
    outcomes: (ItemOutcome | undefined)[];
    fields: ReadonlyMap<number, SchemaField>;
    cells: readonly (readonly CellWrite[])[];
  },
): Promise<void> {
  const { type, drafts, referencedTypes, outcomes, fields, cells } = batch;
  const parts = { type, referencedTypes, areFirstKept: true };
  for (;;) {
    const errors = await findDraftErrors(tx, siteId, { ...parts, drafts: [...drafts.values()] });
    if (errors.length === 0) return;
    for (const error of errors) {
      const index = Number(error.path.split('.')[1]);
      outcomes[index] ??= toRefusal(error, fields, cells[index] ?? []);
      drafts.delete(cells[index]?.[0]?.entryId ?? 0);
    }
  }
}

/** The values that a stored draft replaced, in the form in which they can be written again. */
export const listReplaced = (draft: EntryDraft): JobCellValue[] =>
  findChangedFields(
    draft,
    [...draft.touched.values()].map(({ field }) => field),
  ).map(({ id }) => ({ fieldId: id, ...toWrittenValue(draft.before[id]) }));

function toWrittenValue(stored: StoredValue | undefined): Pick<JobCellValue, 'value' | 'currencyCode'> {
  if (stored === undefined) return { value: null };
  if (typeof stored !== 'object') return { value: stored };
  return 'currencyCode' in stored ? stored : { value: stored.filter((id) => typeof id === 'number') };
}

/** The plan of a request. @throws ApiError 400 with the path of what is invalid, 404 for an unknown type */
export async function planEntryUpdates({
  db,
  caller,
  body,
}: Pick<Call<'startEntryUpdates'>, 'db' | 'caller' | 'body'>) {
  const { entryTypeId, values = [], ignoreNearDups = false } = body;
  const entries = getListedItems(body, 'entries');
  const type = requireType(await loadSchema(db, caller.siteId), String(entryTypeId));
  const errors = [
    ...findValueErrors(type, values, 'values'),
    ...findEntryErrors(type, values, entries ?? []),
  ];
  if (errors.length > 0) throw badRequest(errors.slice(0, MAX_ERRORS));
  const written = entries?.flatMap((entry) => entry.values ?? []).map(({ fieldId }) => fieldId);
  const parameters: EntryUpdateParameters = {
    typeId: type.id,
    values,
    ...(written && values.length === 0 && { fieldIds: [...new Set(written)] }),
    ignoreNearDups,
  };
  return { kind: 'entries.update', parameters, items: entries };
}

/** The plan of a request, each entry once. @throws ApiError 404 for an unknown type */
export async function planEntryDeletions({
  db,
  caller,
  body,
}: Pick<Call<'startEntryDeletions'>, 'db' | 'caller' | 'body'>) {
  const type = requireType(await loadSchema(db, caller.siteId), String(body.entryTypeId));
  const parameters: EntryDeletionParameters = { typeId: type.id };
  const ids = getListedItems(body, 'entryIds');
  const items = ids && [...new Set(ids)].map((entryId) => ({ entryId }));
  return { kind: 'entries.delete', parameters, items };
}

const MAX_ERRORS = 100;

/** Errors of fields and values that no entry could get. */
function findValueErrors(type: EntryType, values: readonly JobCellValue[], path: string): FieldError[] {
  const seen = new Set<number>();
  return values.flatMap((cell, index): FieldError[] => {
    const at = `${path}.${index}`;
    const field = type.fields.find(({ id }) => id === cell.fieldId);
    if (!field)
      return [{ path: `${at}.fieldId`, message: `${type.apiName} has no field with id ${cell.fieldId}` }];
    if (seen.has(field.id)) return [{ path: `${at}.fieldId`, message: `${field.apiName} occurs twice` }];
    seen.add(field.id);
    if (isFileField(field.fieldType))
      return [{ path: `${at}.fieldId`, message: `files of ${field.apiName} are changed entry by entry` }];
    // An amount without a currency keeps that of the entry.
    if (holdsMoney(field) && typeof cell.currencyCode !== 'string') return [];
    const parsed = parseValue({ entryId: 0, ...cell }, field, {}, { behavior: 0, zones: UTC });
    return 'error' in parsed ? [{ path: `${at}.${parsed.property ?? 'value'}`, message: parsed.error }] : [];
  });
}

/** Errors of the entries: twice in the request, without a value, or with an invalid one. */
function findEntryErrors(
  type: EntryType,
  values: readonly JobCellValue[],
  entries: readonly EntryUpdate[],
): FieldError[] {
  const seen = new Set<number>();
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) {
    const path = `entries.${index}`;
    if (seen.has(entry.entryId))
      errors.push({ path: `${path}.entryId`, message: `entry ${entry.entryId} occurs twice` });
    seen.add(entry.entryId);
    const own = entry.values ?? [];
    if (own.length + values.length === 0)
      errors.push({ path: `${path}.values`, message: 'is required without values of all entries' });
    if (own.length > 0 && values.length > 0)
      errors.push({ path: `${path}.values`, message: 'cannot be combined with values of all entries' });
    errors.push(...findValueErrors(type, own, `${path}.values`));
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}

const MAX_TITLE_VALUE_LENGTH = 60;
const MAX_TITLE_VALUES = 3;

/** `Set Status of 1,204 Companies to Active`, with the names that people see. */
async function describeUpdate(
  { db, siteId }: { db: Db; siteId: number },
  { typeId, values, fieldIds, isUndo = false }: EntryUpdateParameters,
  items: Pick<StoredItems<EntryUpdate>, 'length'>,
): Promise<string> {
  const type = (await loadSchema(db, siteId)).typesById.get(typeId);
  const entries = formatEntries(type, items.length);
  const ids = new Set(values.length > 0 ? values.map(({ fieldId }) => fieldId) : fieldIds);
  if (ids.size === 0) return `Change ${entries}`;
  const names = type?.fields.filter(({ id }) => ids.has(id)).map(({ name }) => name) ?? [];
  const fields = names.length === 1 || names.length === 2 ? names.join(' and ') : `${ids.size} fields`;
  if (isUndo) return `Restore ${fields} of ${entries}`;
  const [cell] = values;
  const field = cell && ids.size === 1 && type?.fields.find(({ id }) => id === cell.fieldId);
  if (!field) return `Change ${fields} of ${entries}`;
  const value = await formatTitleValue(db, siteId, field, cell);
  return value === undefined ? `Clear ${fields} of ${entries}` : `Set ${fields} of ${entries} to ${value}`;
}

/** A value as the console shows it, shortened; undefined if it clears the field. */
async function formatTitleValue(
  db: Db,
  siteId: number,
  field: SchemaField,
  { value, currencyCode }: JobCellValue,
): Promise<string | undefined> {
  const all = [value ?? []].flat().filter((item) => item !== '');
  if (all.length === 0) return undefined;
  if (all.length > MAX_TITLE_VALUES) return `${all.length} values`;
  const names = await loadValueNames(
    db,
    siteId,
    field,
    all.filter((item) => typeof item === 'number'),
  );
  const text = all
    .map((item) => {
      if (typeof item === 'boolean') return item ? 'Yes' : 'No';
      if (names) return (typeof item === 'number' ? names.get(item) : undefined) ?? String(item);
      return [currencyCode ?? [], String(item)].flat().join(' ');
    })
    .join(', ')
    .replaceAll(/\s+/g, ' ');
  const characters = Array.from(text);
  return characters.length > MAX_TITLE_VALUE_LENGTH
    ? `${characters.slice(0, MAX_TITLE_VALUE_LENGTH).join('')}…`
    : text;
}

/** Names of the choices, entries or users of a value; undefined for fields whose values are not ids. */
async function loadValueNames(
  db: Db,
  siteId: number,
  { fieldType, choices }: SchemaField,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string> | undefined> {
  if (fieldType === FIELD.choice) return new Map([...choices].map(([id, { name }]) => [id, name]));
  if (fieldType === FIELD.reference) return bulk.listNames(db, siteId, 'entry', ids);
  return fieldType === FIELD.user ? bulk.listNames(db, siteId, 'user', ids) : undefined;
}
