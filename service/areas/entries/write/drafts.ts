import { isDeepStrictEqual } from 'node:util';
import { isRequiredNow } from '../../../../contract/rules/required-when.ts';
import type { FieldError } from '../../../kernel/http/errors.ts';
import type { EntryType, SchemaField, StoredValue, Vals } from '../../schema/index.ts';
import { holdsExpected, readWritten, type Reading, type StoreItem } from './written.ts';

/** An entry as a request leaves it. */
export interface Draft {
  /** Negative: new, until it is stored. */
  entryId: number;
  isNew: boolean;
  /** The place of its first item, for what concerns the entry as a whole. */
  path: string;
  before: Vals;
  after: Record<string, StoredValue | undefined>;
  /** Fields that items of the request name, with the place of the item. */
  touched: Map<number, { field: SchemaField; path: string }>;
  ignoreNearDups: boolean;
}

/** Entries that exist, with what they hold of the fields that are looked at; those of another type or site are absent. */
export type Existing = ReadonlyMap<number, Vals>;

/**
 * Makes a draft of each entry that the items name. Everything that is wrong with an item is told with its place; what
 * concerns several entries at once (ids that do not exist, near-duplicates) is looked at afterwards.
 */
export function draftsOf(
  items: readonly StoreItem[],
  type: EntryType,
  existing: Existing,
  reading: Reading,
  absent: (entryId: number) => string,
): { drafts: Map<number, Draft>; faults: FieldError[] } {
  const fields = new Map(type.fields.map((field) => [field.id, field]));
  const drafts = new Map<number, Draft>();
  const faults: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    const path = `storeRequests.${index}`;
    const field = fields.get(item.fieldId);
    const draft = draftFor(drafts, item.entryId, path, existing);
    if (!draft) faults.push({ path: `${path}.entryId`, message: absent(item.entryId) });
    if (!field)
      faults.push({
        path: `${path}.fieldId`,
        message: `${type.apiName} has no field with id ${item.fieldId}`,
      });
    if (draft && field) faults.push(...write(draft, item, field, path, reading));
  }
  return { drafts, faults };
}

/** The draft of an entry, begun with its first item; undefined: there is no such entry. */
export function draftFor(
  drafts: Map<number, Draft>,
  entryId: number,
  path: string,
  existing: Existing,
): Draft | undefined {
  const draft = drafts.get(entryId) ?? draftOf(entryId, path, existing);
  if (draft) drafts.set(entryId, draft);
  return draft;
}

function draftOf(entryId: number, path: string, existing: Existing): Draft | undefined {
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

function write(
  draft: Draft,
  item: StoreItem,
  field: SchemaField,
  path: string,
  reading: Reading,
): FieldError[] {
  const earlier = draft.touched.get(field.id);
  if (earlier)
    return [
      { path, message: `${field.apiName} of entry ${item.entryId} is written by ${earlier.path} already` },
    ];
  draft.touched.set(field.id, { field, path });
  if (item.ignoreNearDups) draft.ignoreNearDups = true;
  const faults = holdsExpected(item, field, draft.before, reading)
    ? []
    : [{ path: `${path}.expected`, message: `${field.apiName} holds another value by now` }];
  const written = readWritten(item, field, draft.before, reading);
  if ('fault' in written) return [...faults, { path: `${path}.value`, message: written.fault }];
  if (written.value === undefined) delete draft.after[field.id];
  else draft.after[field.id] = written.value;
  return faults;
}

/**
 * Fields that need a value and have none. A new entry needs all of them; an entry that lacks one since before is not
 * held back for it, but nobody can clear one, nor make one required and leave it empty (spec 4.6, requiredWhen).
 */
export function missing(drafts: readonly Draft[], type: EntryType): FieldError[] {
  const byId = new Map(type.fields.map((field) => [field.id, field]));
  const needed = type.fields.filter((field) => field.isStoreRequestSupported && mayBeNeeded(field));
  const needs = (field: SchemaField, vals: Vals): boolean =>
    field.isRequired ||
    (field.requiredWhen !== null && isRequiredNow(field.requiredWhen, (id) => byId.get(id), vals));
  const lacks = ({ isNew, before, after }: Draft, field: SchemaField): boolean =>
    after[field.id] === undefined &&
    needs(field, after) &&
    (isNew || before[field.id] !== undefined || !needs(field, before));
  return drafts.flatMap((draft) =>
    needed
      .filter((field) => lacks(draft, field))
      .map((field) => ({
        path: draft.touched.get(field.id)?.path ?? draft.path,
        message: `${field.apiName} is required${field.isRequired ? '' : ' here: its conditions hold'}`,
      })),
  );
}

const mayBeNeeded = ({ isRequired, requiredWhen }: SchemaField): boolean =>
  isRequired || requiredWhen !== null;

/** What is looked at of entries that exist: the fields that a request names, and what `missing` asks for. */
export function fieldsLookedAt(type: EntryType, named: Iterable<number>): Set<number> {
  const needed = type.fields.filter(mayBeNeeded);
  const read = needed.flatMap(({ requiredWhen }) => requiredWhen?.conditions ?? []);
  return new Set([...named, ...needed.map(({ id }) => id), ...read.map(({ fieldId }) => fieldId)]);
}

/** Those of the fields whose value is another one than before; a change of case alone is a change (spec 4.4). */
export const changedFields = (
  { before, after }: Pick<Draft, 'before' | 'after'>,
  fields: readonly SchemaField[],
): SchemaField[] => fields.filter((field) => !isDeepStrictEqual(before[field.id], after[field.id]));
