/** Values of entries as the database stores them, and how values of rows (shapes 4) are made of them. */
import type { FieldValue, NamedValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD, isIdField } from '../../../../contract/rules/schema/fields.ts';
import type { ExportField } from '../../../../contract/rules/tables/entry-columns.ts';

/** A choice as rows of responses have it. */
type Choice = { id: number; name: string; seqNumber: number; entryListId: number };

/** A field whose stored values become values of a row. Only plain data, because threads exchange it. */
export interface StoredField {
  id: number;
  apiName: string;
  fieldType: ExportField['fieldType'];
  isMultiSelect: boolean;
  isDateOnly: boolean;
  /** All choices, removed ones included: entries keep them. */
  choices: readonly Choice[];
}

/** Rows as the database returns them. */
export interface StoredRows {
  /**
   * Rows of the form `[entryId, values by id of the field, files by apiName]` as JSON in UTF-8, separated by commas: several texts of
   * whole rows, each with memory of its own.
   */
  texts: readonly Uint8Array<ArrayBuffer>[];
  /** JSON lists in UTF-8: users and entries of the rows, without unknown ones. */
  users: Uint8Array<ArrayBuffer>;
  references: Uint8Array<ArrayBuffer>;
}

/** Choices, users or entries by id. */
type NamesById = ReadonlyMap<unknown, NamedValue>;
type ReadValue = (value: unknown, names: NamesById) => FieldValue | undefined;

/** Several items in their order; a single one is not an array (shapes 4). Unknown ids have no item. */
function findItems(ids: unknown, names: NamesById): NamedValue[] | NamedValue | undefined {
  const items = Array.isArray(ids) ? ids.flatMap((id) => names.get(id) ?? []) : [];
  return items.length > 1 ? items : items[0];
}

/** Returns the function that makes values of a row (shapes 4) from those of `vals`; no data is undefined. */
export function createValueReader({ fieldType, isMultiSelect, isDateOnly }: StoredField): ReadValue {
  if (isIdField(fieldType)) return isMultiSelect ? findItems : (id, names) => names.get(id);
  if (fieldType === FIELD.date && isDateOnly)
    return (day) => (typeof day === 'string' ? `${day}T00:00:00.000Z` : undefined);
  return (value) => (value ?? undefined) as FieldValue | undefined;
}

const decoder = new TextDecoder();

function parseNames(text: Uint8Array): NamesById {
  const names = new Map<unknown, NamedValue>();
  for (const item of JSON.parse(decoder.decode(text)) as NamedValue[]) names.set(item.id, item);
  return names;
}

const NO_NAMES: NamesById = new Map();

/** Choices, users and entries that the ids in some rows stand for. */
export interface StoredNames {
  get(field: StoredField): NamesById;
}

/** Returns a function that reads the names that come with some rows. */
export function createNamesReader(fields: readonly StoredField[]): (rows: StoredRows) => StoredNames {
  const choicesByField = new Map(
    fields.map(({ id, choices }) => [id, new Map(choices.map((choice) => [choice.id, choice]))]),
  );
  return ({ users, references }) => {
    const usersById = parseNames(users);
    const referencesById = parseNames(references);
    return {
      get({ id, fieldType }) {
        if (fieldType === FIELD.user) return usersById;
        return fieldType === FIELD.reference ? referencesById : (choicesByField.get(id) ?? NO_NAMES);
      },
    };
  };
}
