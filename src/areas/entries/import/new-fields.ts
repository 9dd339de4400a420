/** Fields, choices and the entry type that an import creates before its rows. */
import type {
  EntryTypeVm,
  FieldVm,
  NewEntryTypeInfo,
  NewFieldInfo,
  SchemaExtension,
  SchemaExtensionInfo,
} from '../../../../contract/generated/types.gen.ts';
import { isReservedFieldName } from '../../../../contract/rules/schema/field-names.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { isReservedTypeName } from '../../../../contract/rules/schema/type-names.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { suggestApiName } from '../../../lib/text/api-names.ts';
import type { Field } from '../model/schema.ts';
import type { ColumnGuess, NewFieldKind } from './guess-field.ts';
import { createChoiceIndex, findByText, normalizeName } from './name-index.ts';
import type { ParseRules } from './parse-row.ts';
import type { RowWork } from './stored-values.ts';
import type { Mapping } from './targets.ts';

/** Field to create for a column. */
export interface NewField {
  name: string;
  kind: NewFieldKind;
  /** Entry type of a reference. */
  typeId?: number;
  /** Whether it names the entries of a new type. */
  isKey?: true;
}

/** Fields to create by the index of their column. */
export type NewFields = Readonly<Record<number, NewField>>;

/** A name of a choice in a column and the rows that have it. */
export interface ChoiceCount {
  name: string;
  rowCount: number;
}

/** Ids of fields and choices that do not exist yet. Stored ones do not come near. */
const FIRST_NEW_ID = 2_000_000_000;
export const isNewId = (id: number): boolean => id >= FIRST_NEW_ID;
const MAX_CHOICES = 5000;
const MAX_NAME_LENGTH = 100;

const SHAPES: Readonly<Record<NewFieldKind, Pick<Field, 'fieldType'> & Partial<Field>>> = {
  text: { fieldType: FIELD.text },
  number: { fieldType: FIELD.number },
  money: { fieldType: FIELD.currency, isMoney: true },
  date: { fieldType: FIELD.date, isDateOnly: true },
  dateTime: { fieldType: FIELD.date },
  boolean: { fieldType: FIELD.boolean },
  choice: { fieldType: FIELD.choice },
  choices: { fieldType: FIELD.choice, isMultiSelect: true },
  reference: { fieldType: FIELD.reference },
  user: { fieldType: FIELD.user },
};

/** API name of the field of a column; the number of the column if the name gives none. */
const getApiName = ({ name }: NewField, column: number): string => {
  const suggested = suggestApiName(name);
  if (suggested === '') return `Column${column + 1}`;
  return isReservedFieldName(suggested) ? `${suggested}Value` : suggested;
};

const listNewFields = (newFields: NewFields): { column: number; field: NewField }[] =>
  Object.entries(newFields)
    .map(([column, field]) => ({ column: Number(column), field }))
    .toSorted((one, other) => one.column - other.column);

/** New choices of a field that exists. */
interface AddedChoices {
  field: Field;
  choices: readonly ChoiceCount[];
}

/** The fields as they will be, with what has to be created for that. */
export interface SchemaPlan {
  fields: readonly Field[];
  mapping: Mapping;
  /** Fields to create with their columns, in the order of the file. */
  created: readonly { column: number; field: Field }[];
  added: readonly AddedChoices[];
}

interface PlanInput {
  typeId: number;
  fields: readonly Field[];
  mapping: Mapping;
  newFields: NewFields;
  /** Names in the columns of choice fields. */
  names: ReadonlyMap<number, readonly ChoiceCount[]>;
  /** Whether missing choices are added to fields that exist. */
  addsChoices: boolean;
}

const toChoices = (counts: readonly ChoiceCount[], firstNumber: number) =>
  counts.map(({ name }, index) => ({
    id: FIRST_NEW_ID + index,
    name,
    seqNumber: firstNumber + index,
  }));

function toField({ column, field }: { column: number; field: NewField }, input: PlanInput): Field {
  const shape = SHAPES[field.kind];
  const isChoice = shape.fieldType === FIELD.choice;
  return {
    isRequired: field.isKey === true,
    isMoney: false,
    isMultiSelect: false,
    isKey: field.isKey === true,
    isDateOnly: false,
    isSearchable: field.isKey === true,
    isOnEntryForm: true,
    isCalculated: false,
    isStoreRequestSupported: true,
    id: FIRST_NEW_ID + column,
    entryTypeId: input.typeId,
    apiName: getApiName(field, column),
    name: field.name.trim(),
    ...(isChoice && {
      choiceValues: toChoices((input.names.get(column) ?? []).slice(0, MAX_CHOICES), 1),
    }),
    ...(field.kind === 'reference' && { entryLists: field.typeId === undefined ? [] : [field.typeId] }),
    ...shape,
  };
}

/** Names in a column that are no choices of the field. */
function findMissingChoices(field: Field, names: readonly ChoiceCount[]): readonly ChoiceCount[] {
  const index = createChoiceIndex(field);
  const free = MAX_CHOICES - (field.choiceValues ?? []).length;
  return names
    .filter(({ name }) => !/^#\d+$/.test(name) && 'error' in findByText(name, index, 'choice'))
    .slice(0, Math.max(0, free));
}

interface ChoiceColumn {
  column: number;
  isMultiSelect: boolean;
}

/** Columns whose names are choices: of new fields, and of fields that can get further ones. */
export function listChoiceColumns({
  fields,
  mapping,
  newFields,
}: Pick<PlanInput, 'fields' | 'mapping' | 'newFields'>): ChoiceColumn[] {
  return mapping.flatMap((key, column) => {
    const field = newFields[column];
    if (field)
      return SHAPES[field.kind].fieldType === FIELD.choice
        ? [{ column, isMultiSelect: field.kind === 'choices' }]
        : [];
    const stored = fields.find(({ apiName }) => apiName === key);
    // Ids take precedence over names.
    const isById = stored && mapping.includes(`${stored.apiName}#id`);
    return stored?.fieldType === FIELD.choice && !isById
      ? [{ column, isMultiSelect: stored.isMultiSelect }]
      : [];
  });
}

/** The names of columns among those that were read; none of a column that was not read, or not as it is now. */
export const pickNames = (
  columns: readonly ChoiceColumn[],
  read: readonly (ChoiceColumn & { names: readonly ChoiceCount[] })[],
): Map<number, readonly ChoiceCount[]> =>
  new Map(
    columns.map(({ column, isMultiSelect }) => [
      column,
      read.find((one) => one.column === column && one.isMultiSelect === isMultiSelect)?.names ?? [],
    ]),
  );

/** Plans the fields and choices that the import needs. */
export function planSchema(input: PlanInput): SchemaPlan {
  const { fields, mapping, newFields, names, addsChoices } = input;
  const created = listNewFields(newFields).map((one) => ({ column: one.column, field: toField(one, input) }));
  const byColumn = new Map(created.map(({ column, field }) => [column, field]));
  const added = addsChoices
    ? listChoiceColumns(input).flatMap(({ column }): AddedChoices[] => {
        const field = fields.find(({ apiName }) => !byColumn.has(column) && apiName === mapping[column]);
        const choices = field ? findMissingChoices(field, names.get(column) ?? []) : [];
        return field && choices.length > 0 ? [{ field, choices }] : [];
      })
    : [];
  const addedById = new Map(added.map(({ field, choices }) => [field.id, choices]));
  return {
    created,
    added,
    mapping: mapping.map((key, column) => byColumn.get(column)?.apiName ?? key),
    fields: [
      ...fields.map((field) => {
        const own = addedById.get(field.id);
        const existing = field.choiceValues ?? [];
        return own
          ? { ...field, choiceValues: [...existing, ...toChoices(own, existing.length + 1)] }
          : field;
      }),
      ...created.map(({ field }) => field),
    ],
  };
}

/** Why the new fields cannot be created, by column; columns without an error are absent. */
export function findNewFieldErrors(
  newFields: NewFields,
  fields: readonly Field[],
): ReadonlyMap<number, string> {
  const taken = new Map(fields.map(({ apiName, name }) => [apiName.toLowerCase(), name]));
  const errors = new Map<number, string>();
  for (const { column, field } of listNewFields(newFields)) {
    const name = field.name.trim();
    const apiName = getApiName(field, column).toLowerCase();
    const other = taken.get(apiName);
    const nameError = findNameError(name);
    if (nameError !== undefined) errors.set(column, nameError);
    else if (other !== undefined) errors.set(column, `There is a field named ${other}`);
    else if (field.kind === 'reference' && field.typeId === undefined)
      errors.set(column, 'Choose the entry type');
    taken.set(apiName, name);
  }
  return errors;
}

/** Fields that one import can create (contract, SchemaExtensionInfo). */
const MAX_NEW_FIELDS = 200;

/** Why the import cannot create its fields together. */
export const findTotalError = ({ created }: Pick<SchemaPlan, 'created'>): string | undefined =>
  created.length > MAX_NEW_FIELDS
    ? `An import creates at most ${MAX_NEW_FIELDS} fields; these are ${created.length}. Set the other columns to Ignored.`
    : undefined;

const findNameError = (name: string): string | undefined => {
  if (name.trim() === '') return 'Enter a name';
  return name.trim().length > MAX_NAME_LENGTH
    ? `Shorten the name to ${MAX_NAME_LENGTH} characters`
    : undefined;
};

/** Why a new entry type cannot be created, by property. */
export function findTypeErrors(
  names: NewEntryTypeInfo,
  types: readonly EntryTypeVm[],
): Partial<Record<keyof NewEntryTypeInfo, string>> {
  const { apiName, singularName, pluralName } = names;
  const other = types.find((type) => type.apiName.toLowerCase() === apiName.toLowerCase());
  const errors = {
    singularName: findNameError(singularName),
    pluralName: findNameError(pluralName),
    apiName: /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(apiName)
      ? isReservedTypeName(apiName)
        ? 'This name is reserved'
        : other && `${other.pluralName} have this name`
      : 'Enter a letter, then letters, digits and underscores, 64 at most',
  };
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error !== undefined));
}

/** New fields for all columns of a file, one of which names the entries. */
export function guessNewFields(
  headings: readonly string[],
  guesses: readonly (ColumnGuess | undefined)[],
): NewFields {
  const isText = (column: number): boolean =>
    guesses[column]?.kind === 'text' || guesses[column]?.kind === 'choice';
  const columns = headings.flatMap((heading, column) =>
    heading.trim() === '' && guesses[column]?.sample.length === 0 ? [] : [column],
  );
  const isNamed = (column: number): boolean => /\b(?:name|title|company)\b/i.test(headings[column] ?? '');
  const isUnique = (column: number): boolean => guesses[column]?.isUnique === true;
  const key =
    columns.find((column) => isNamed(column) && isUnique(column)) ??
    columns.find((column) => isText(column) && isUnique(column)) ??
    columns.find(isNamed) ??
    columns.find(isText) ??
    columns[0];
  const names = new Set<string>();
  return Object.fromEntries(
    columns.map((column): [number, NewField] => {
      const heading = (headings[column] ?? '').trim().slice(0, MAX_NAME_LENGTH);
      const plain = heading === '' ? `Column ${column + 1}` : heading;
      const field = { name: plain, kind: 'text' } as const;
      const isRepeated = names.has(getApiName(field, column).toLowerCase());
      const name = isRepeated ? `${plain} ${column + 1}` : plain;
      names.add(getApiName({ ...field, name }, column).toLowerCase());
      return [
        column,
        column === key ? { name, kind: 'text', isKey: true } : toNewField(name, guesses[column]),
      ];
    }),
  );
}

/** New field for a column as it was guessed. */
export const toNewField = (name: string, guess: ColumnGuess | undefined): NewField => ({
  name,
  kind: guess?.kind ?? 'text',
  ...(guess?.typeId !== undefined && { typeId: guess.typeId }),
});

/** Rules with which the guessed numbers and dates can be read. */
export const getGuessedRules = (
  guesses: readonly (ColumnGuess | undefined)[],
): Partial<Pick<ParseRules, 'decimal' | 'dates'>> => ({
  ...(guesses.some((guess) => guess?.decimal) && { decimal: 'comma' as const }),
  ...(guesses.some((guess) => guess?.dates) && { dates: 'mdy' as const }),
});

type Plan = ImportRowPlan<RowWork>;

/** Ids of new choices that the rows use, by the id of their field. */
function collectUsedChoices(
  plans: readonly Plan[],
  plan: SchemaPlan,
): ReadonlyMap<number, ReadonlySet<number>> {
  const choiceFields = new Set(
    plan.fields.filter(({ fieldType }) => fieldType === FIELD.choice).map(({ id }) => id),
  );
  const used = new Map<number, Set<number>>();
  for (const { work } of plans)
    for (const { fieldId, value } of work.items) {
      if (!choiceFields.has(fieldId)) continue;
      const own = used.get(fieldId) ?? new Set();
      used.set(fieldId, own);
      for (const id of [value].flat()) if (typeof id === 'number' && isNewId(id)) own.add(id);
    }
  return used;
}

const toFieldInfo = (field: Field, choiceNames: readonly string[]): NewFieldInfo => ({
  apiName: field.apiName,
  name: field.name,
  fieldType: field.fieldType,
  ...(field.isMoney && { isMoney: true }),
  ...(field.isMultiSelect && { isMultiSelect: true }),
  ...(field.isDateOnly && { isDateOnly: true }),
  ...(field.isKey && { isKey: true, isSearchable: true }),
  ...(field.entryLists && { entryLists: [...field.entryLists] }),
  ...(field.fieldType === FIELD.choice && { choiceValues: choiceNames.map((name) => ({ name })) }),
});

/**
 * What the confirmed rows need: choices that only rows with errors name are left out, except that a choice field has at least one.
 * Undefined if nothing is missing.
 */
export function buildExtension(
  plan: SchemaPlan,
  plans: readonly Plan[],
  type: { id: number } | NewEntryTypeInfo,
): SchemaExtensionInfo | undefined {
  const used = collectUsedChoices(plans, plan);
  const listNames = ({ id, choiceValues = [] }: Field): string[] =>
    choiceValues.filter((choice) => used.get(id)?.has(choice.id)).map(({ name }) => name);
  const fields = plan.created.map(({ field }) => {
    const names = listNames(field);
    const all = (field.choiceValues ?? []).map(({ name }) => name);
    return toFieldInfo(field, names.length > 0 ? names : all);
  });
  const choices = plan.added.flatMap(({ field }) => {
    const planned = plan.fields.find(({ id }) => id === field.id);
    const names = planned ? listNames(planned) : [];
    return names.length > 0 ? [{ fieldId: field.id, names }] : [];
  });
  if ('id' in type)
    return fields.length + choices.length > 0 ? { entryTypeId: type.id, fields, choices } : undefined;
  return { newEntryType: type, fields, choices };
}

/** Rows with the ids of the fields and choices that were created for them. */
export function replaceNewIds(
  plans: readonly Plan[],
  plan: SchemaPlan,
  { createdFields, changedFields }: Pick<SchemaExtension, 'createdFields' | 'changedFields'>,
): Plan[] {
  const stored = new Map<number, FieldVm>();
  for (const [index, { field }] of plan.created.entries()) {
    const created = createdFields[index];
    if (created) stored.set(field.id, created);
  }
  for (const field of changedFields) stored.set(field.id, field);
  const choiceIds = new Map<number, ReadonlyMap<number, number>>();
  for (const field of plan.fields) {
    const byName = new Map(
      (stored.get(field.id)?.choiceValues ?? []).map(({ id, name }) => [normalizeName(name), id]),
    );
    choiceIds.set(
      field.id,
      new Map((field.choiceValues ?? []).map(({ id, name }) => [id, byName.get(normalizeName(name)) ?? id])),
    );
  }
  const toChoice = (fieldId: number, id: number): number =>
    isNewId(id) ? (choiceIds.get(fieldId)?.get(id) ?? id) : id;
  const isChoice = new Set(
    plan.fields.filter(({ fieldType }) => fieldType === FIELD.choice).map(({ id }) => id),
  );
  return plans.map((row) => ({
    ...row,
    work: {
      ...row.work,
      items: row.work.items.map((item) => ({
        ...item,
        fieldId: stored.get(item.fieldId)?.id ?? item.fieldId,
        ...(isChoice.has(item.fieldId) && {
          value: Array.isArray(item.value)
            ? item.value.map((id) => toChoice(item.fieldId, id))
            : typeof item.value === 'number'
              ? toChoice(item.fieldId, item.value)
              : item.value,
        }),
      })),
    },
  }));
}
