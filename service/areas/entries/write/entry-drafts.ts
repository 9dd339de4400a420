import { isDeepStrictEqual } from 'node:util';
import { isRequiredNow } from '../../../../contract/rules/schema/required-when.ts';
import { type FieldError, hasEnoughErrors } from '../../../kernel/api-error.ts';
import type { EntryType, SchemaField, StoredValue, StoredValues } from '../../schema/index.ts';
import { matchesExpected, parseValue, type DateOptions, type CellWrite } from './parse-value.ts';

/** An entry with the changes of a request. */
export interface EntryDraft {
  /** Negative for a new entry that is not stored yet. */
  entryId: number;
  isNew: boolean;
  /** Path of the first item of the entry, for errors of the entry as a whole. */
  path: string;
  before: StoredValues;
  after: Record<string, StoredValue | undefined>;
  /** Fields written by the request, with the path of the item; a refused value is not in `after`. */
  touched: Map<number, { field: SchemaField; path: string; isRefused?: boolean }>;
  ignoreNearDups: boolean;
}

/** Stored entries by id, with the values that are read; entries of another type or site are absent. */
export type ExistingEntries = ReadonlyMap<number, StoredValues>;

/**
 * Builds a draft of each entry in the items, with an error for each invalid item; stops when there are enough errors. Checks across
 * entries (ids that do not exist, near-duplicates) follow later.
 */
export function buildDrafts(
  items: readonly CellWrite[],
  type: EntryType,
  existing: ExistingEntries,
  dateOptions: DateOptions,
  absent: (entryId: number) => string,
): { drafts: Map<number, EntryDraft>; errors: FieldError[] } {
  const fields = new Map(type.fields.map((field) => [field.id, field]));
  const drafts = new Map<number, EntryDraft>();
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    if (hasEnoughErrors(errors)) break;
    const path = `storeRequests.${index}`;
    const field = fields.get(item.fieldId);
    const draft = getOrCreateDraft(drafts, item.entryId, path, existing);
    if (!draft) errors.push({ path: `${path}.entryId`, message: absent(item.entryId) });
    if (!field)
      errors.push({
        path: `${path}.fieldId`,
        message: `${type.apiName} has no field with id ${item.fieldId}`,
      });
    if (draft && field) errors.push(...applyItem(draft, item, field, path, dateOptions));
  }
  return { drafts, errors };
}

/** The draft of an entry, created with its first item; undefined if the entry does not exist. */
export function getOrCreateDraft(
  drafts: Map<number, EntryDraft>,
  entryId: number,
  path: string,
  existing: ExistingEntries,
): EntryDraft | undefined {
  const draft = drafts.get(entryId) ?? createDraft(entryId, path, existing);
  if (draft) drafts.set(entryId, draft);
  return draft;
}

function createDraft(entryId: number, path: string, existing: ExistingEntries): EntryDraft | undefined {
  const before = entryId < 0 ? {} : existing.get(entryId);
  return (
    before && {
      entryId,
      isNew: entryId < 0,
      path,
      before,
      after: { ...before },
      touched: new Map(),
      ignoreNearDups: false,
    }
  );
}

export const refuseRepeatedCell = (
  { entryId }: EntryDraft,
  { apiName }: SchemaField,
  path: string,
  previousPath: string,
): FieldError => ({
  path,
  message: `${apiName} of entry ${entryId} is already written by ${previousPath}`,
});

/** Applies an item to the draft of its entry; returns the errors of the item, with paths below `path`. */
export function applyItem(
  draft: EntryDraft,
  item: CellWrite,
  field: SchemaField,
  path: string,
  dateOptions: DateOptions,
): FieldError[] {
  const previous = draft.touched.get(field.id);
  if (previous) return [refuseRepeatedCell(draft, field, path, previous.path)];
  draft.touched.set(field.id, { field, path });
  if (item.ignoreNearDups) draft.ignoreNearDups = true;
  const errors = matchesExpected(item, field, draft.before, dateOptions)
    ? []
    : [{ path: `${path}.expected`, message: `${field.apiName} no longer has the expected value` }];
  const parsed = parseValue(item, field, draft.before, dateOptions);
  if ('error' in parsed) {
    draft.touched.set(field.id, { field, path, isRefused: true });
    return [...errors, { path: `${path}.${parsed.property ?? 'value'}`, message: parsed.error }];
  }
  if (parsed.value === undefined) delete draft.after[field.id];
  else draft.after[field.id] = parsed.value;
  return errors;
}

/**
 * Errors of required fields without a value. New entries need all of them. An entry that already lacks one can still be
 * changed, but a request cannot clear a required field or make an empty one required (spec 4.6, requiredWhen).
 */
export function findMissingFields(drafts: readonly EntryDraft[], type: EntryType): FieldError[] {
  const byId = new Map(type.fields.map((field) => [field.id, field]));
  const requirableFields = type.fields.filter(
    (field) => field.isStoreRequestSupported && canBeRequired(field),
  );
  const isRequiredFor = (field: SchemaField, vals: StoredValues): boolean =>
    field.isRequired ||
    (field.requiredWhen !== null && isRequiredNow(field.requiredWhen, (id) => byId.get(id), vals));
  const isMissing = ({ isNew, before, after, touched }: EntryDraft, field: SchemaField): boolean =>
    after[field.id] === undefined &&
    !touched.get(field.id)?.isRefused &&
    isRequiredFor(field, after) &&
    (isNew || before[field.id] !== undefined || !isRequiredFor(field, before));
  return drafts.flatMap((draft) =>
    requirableFields
      .filter((field) => isMissing(draft, field))
      .map((field) => ({
        path: draft.touched.get(field.id)?.path ?? draft.path,
        message: `${field.apiName} is required${field.isRequired ? '' : ' under the current conditions'}`,
      })),
  );
}

const canBeRequired = ({ isRequired, requiredWhen }: SchemaField): boolean =>
  isRequired || requiredWhen !== null;

/** Ids of the fields to read of stored entries: those written by the request and those `findMissingFields` needs. */
export function listFieldsToRead(type: EntryType, writtenIds: Iterable<number>): Set<number> {
  const requirableFields = type.fields.filter(canBeRequired);
  const conditions = requirableFields.flatMap(({ requiredWhen }) => requiredWhen?.conditions ?? []);
  return new Set([
    ...writtenIds,
    ...requirableFields.map(({ id }) => id),
    ...conditions.map(({ fieldId }) => fieldId),
  ]);
}

/** The fields whose values differ; a change of case is a change (spec 4.4). */
export const findChangedFields = (
  { before, after }: Pick<EntryDraft, 'before' | 'after'>,
  fields: readonly SchemaField[],
): SchemaField[] => fields.filter((field) => !isDeepStrictEqual(before[field.id], after[field.id]));
