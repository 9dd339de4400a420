import { FIELD, isFileField } from '../../../../contract/rules/fields.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import { createEventCell, type EntryChange } from '../../../kernel/outbox/change-event.ts';
import type { FileValue, SchemaField, StoredValue, StoredValues } from '../../schema/index.ts';
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

/**
 * The entries of a data event with their names and cells: for new entries every field with data, for changed ones the fields that
 * differ, for deleted ones none. Reads the names of the entries and of everything that they refer to in one statement.
 */
export async function buildEntryChanges(
  tx: Tx,
  siteId: number,
  fields: readonly SchemaField[],
  kind: 'created' | 'updated' | 'deleted',
  writes: readonly WrittenEntry[],
): Promise<EntryChange[]> {
  const withFields = writes.map(({ entryId, after, changed }) => ({
    entryId,
    after,
    written:
      kind === 'created'
        ? fields.filter(({ id }) => after[id] !== undefined)
        : kind === 'updated'
          ? changed
          : [],
  }));
  const collectIds = (type: number): number[] =>
    withFields.flatMap(({ after, written }) =>
      written.flatMap(({ id, fieldType }) => (fieldType === type ? listIds(after[id]) : [])),
    );
  const names = await loadEventNames(
    tx,
    siteId,
    [...writes.map(({ entryId }) => entryId), ...collectIds(FIELD.reference)],
    collectIds(FIELD.user),
  );
  return withFields.map(({ entryId, after, written }) => ({
    entryId,
    entryName: names.entries.get(entryId)?.name ?? '',
    cells: written.map((field) =>
      createEventCell(field.id, field.apiName, toEventValue(entryId, field, after[field.id], names)),
    ),
  }));
}
