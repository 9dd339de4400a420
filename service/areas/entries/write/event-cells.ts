import { FIELD, isFileField } from '../../../../contract/rules/schema/fields.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import { createEventCell, type EntryChange } from '../../../kernel/outbox/change-event.ts';
import type { EntryType, FileValue, SchemaField, StoredValue, StoredValues } from '../../schema/index.ts';
import { loadEventNames, type EventNames } from './write.store.ts';

/** A written entry: all its values and, for a change, the fields that differ. */
interface WrittenEntry {
  entryId: number;
  after: StoredValues;
  changed: readonly SchemaField[];
}

const USER_LIST_ID = -1;
const CHOICE_LIST_ID = -6;

const listIds = (value: StoredValue | undefined): number[] =>
  (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'number');

/** The item of a choice, reference or user field as shapes 4 describes it; undefined for an id without a name. */
function toItem(id: number, field: SchemaField, names: EventNames): object | undefined {
  if (field.fieldType === FIELD.choice) {
    const choice = field.choices.get(id);
    return choice && { id, name: choice.name, seqNumber: choice.seqNumber, entryListId: CHOICE_LIST_ID };
  }
  if (field.fieldType === FIELD.user) {
    const user = names.users.get(id);
    return user && { id, name: user.name, entryListId: USER_LIST_ID, url: `mailto:${user.email}` };
  }
  const entry = names.entries.get(id);
  return entry && { type: 0, id, name: entry.name, entryListId: entry.typeId };
}

const toFile = (entryId: number, field: SchemaField, file: FileValue, seqNumber: number): object => ({
  id: file.file,
  name: file.name,
  contentType: file.type,
  size: file.size,
  seqNumber,
  url: `/api/rest/v4/data/entryfiles/${entryId}/fields/${field.id}?seqNumber=${seqNumber}`,
});

/**
 * A stored value in the format of shapes 4, with the names that choices, entries and users had at the time of the change; null without
 * data. Multi-select values are always arrays.
 */
function toEventValue(
  entryId: number,
  field: SchemaField,
  value: StoredValue | undefined,
  names: EventNames,
): unknown {
  if (value === undefined) return null;
  const { fieldType, isMultiSelect } = field;
  if (isFileField(fieldType)) {
    const files = (value as readonly FileValue[]).map((file, index) => toFile(entryId, field, file, index));
    return isMultiSelect ? files : (files[0] ?? null);
  }
  if (fieldType === FIELD.date && field.isDateOnly) return `${value as string}T00:00:00.000Z`;
  if (fieldType === FIELD.choice || fieldType === FIELD.reference || fieldType === FIELD.user) {
    const items = listIds(value).flatMap((id) => toItem(id, field, names) ?? []);
    return isMultiSelect ? items : (items[0] ?? null);
  }
  return value;
}

type ChangeKind = 'created' | 'updated' | 'deleted';

/** Fields whose cells an event has: for new entries every field with data, for changed ones those that differ, for deleted ones none. */
function listWrittenFields(
  fields: readonly SchemaField[],
  kind: ChangeKind,
  { after, changed }: WrittenEntry,
): readonly SchemaField[] {
  if (kind === 'created') return fields.filter(({ id }) => after[id] !== undefined);
  return kind === 'updated' ? changed : [];
}

/** The names that events of these changes contain: of the entries and of everything that they refer to, read in one statement. */
export async function loadChangeNames(
  tx: Tx,
  siteId: number,
  type: EntryType,
  kind: ChangeKind,
  writes: readonly WrittenEntry[],
): Promise<EventNames> {
  const entryIds = new Set<number>();
  const userIds = new Set<number>();
  for (const write of writes)
    for (const { id, fieldType } of listWrittenFields(type.fields, kind, write)) {
      const ids = fieldType === FIELD.reference ? entryIds : fieldType === FIELD.user ? userIds : undefined;
      if (ids) for (const named of listIds(write.after[id])) ids.add(named);
    }
  if (kind !== 'created') {
    for (const { entryId } of writes) entryIds.add(entryId);
    return loadEventNames(tx, siteId, [...entryIds], [...userIds]);
  }
  // The name of a new entry is that of its draft, whether it is stored already or not.
  const own = new Map(
    writes.map(({ entryId, after }) => [entryId, { name: getName(type, after), typeId: type.id }]),
  );
  for (const id of own.keys()) entryIds.delete(id);
  const isComplete = entryIds.size === 0 && userIds.size === 0;
  const { entries, users } = isComplete
    ? NO_NAMES
    : await loadEventNames(tx, siteId, [...entryIds], [...userIds]);
  return { entries: new Map([...entries, ...own]), users };
}

const NO_NAMES: EventNames = { entries: new Map(), users: new Map() };

const getName = ({ keyField }: EntryType, vals: StoredValues): string => {
  const name = vals[keyField.id];
  return typeof name === 'string' ? name : '';
};

/** The entries of a data event with their names and cells. */
export function buildEntryChanges(
  fields: readonly SchemaField[],
  kind: ChangeKind,
  writes: readonly WrittenEntry[],
  names: EventNames,
): EntryChange[] {
  return writes.map((write) => ({
    entryId: write.entryId,
    entryName: names.entries.get(write.entryId)?.name ?? '',
    cells: listWrittenFields(fields, kind, write).map((field) =>
      createEventCell(
        field.id,
        field.apiName,
        toEventValue(write.entryId, field, write.after[field.id], names),
      ),
    ),
  }));
}
