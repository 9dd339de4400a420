/** What an agent may read of the schema: the entry types that its key allows, without what the site forbids to all agents. */
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { forbidden } from '../../../kernel/api-error.ts';
import { type EntryType, getCalculations, type SchemaField, type SiteSchema } from '../../schema/index.ts';
import type { Item } from './results.ts';

export interface ReadRules {
  /** Ids of the entry types that the key allows; undefined: all. */
  allowedTypeIds: ReadonlySet<number> | undefined;
  /** Ids of the entry types and fields that the site forbids. */
  forbiddenTypeIds: ReadonlySet<number>;
  forbiddenFieldIds: ReadonlySet<number>;
}

export const createReadRules = (
  allowedTypeIds: readonly number[] | null,
  {
    forbiddenTypeIds,
    forbiddenFieldIds,
  }: { forbiddenTypeIds: readonly number[]; forbiddenFieldIds: readonly number[] },
): ReadRules => ({
  allowedTypeIds: allowedTypeIds ? new Set(allowedTypeIds) : undefined,
  forbiddenTypeIds: new Set(forbiddenTypeIds),
  forbiddenFieldIds: new Set(forbiddenFieldIds),
});

export const isTypeReadable = ({ allowedTypeIds, forbiddenTypeIds }: ReadRules, typeId: number): boolean =>
  (allowedTypeIds?.has(typeId) ?? true) && !forbiddenTypeIds.has(typeId);

/** @throws ApiError 403 */
export function requireTypeReadable(rules: ReadRules, { id, pluralName }: EntryType): void {
  if (rules.forbiddenTypeIds.has(id)) throw forbidden(`${pluralName} are forbidden to agents on this site`);
  if (!isTypeReadable(rules, id)) throw forbidden(`${pluralName} are not allowed for this key`);
}

const NO_IDS: ReadonlySet<number> = new Set();

/** Ids of the fields of a type that agents may not read: the forbidden ones, and those that are calculated from them. */
export function listHiddenFields({ forbiddenFieldIds }: ReadRules, type: EntryType): ReadonlySet<number> {
  if (forbiddenFieldIds.size === 0) return NO_IDS;
  const hidden = new Set(type.fields.flatMap(({ id }) => (forbiddenFieldIds.has(id) ? [id] : [])));
  if (hidden.size === 0) return NO_IDS;
  // Calculated fields come after those that they read.
  for (const { field, formula } of getCalculations(type))
    if (formula.fieldIds.some((id) => hidden.has(id))) hidden.add(field.id);
  return hidden;
}

/** The types that a reference field may point to. */
const listTargets = ({ entryLists }: SchemaField, schema: SiteSchema): readonly EntryType[] =>
  entryLists.length === 0 ? schema.types : entryLists.flatMap((id) => schema.typesById.get(id) ?? []);

/** Whether comparing the field shows nothing that the agent may not read: references to other types are left out of results. */
export const isComparable = (rules: ReadRules, field: SchemaField, schema: SiteSchema): boolean =>
  field.fieldType !== FIELD.reference ||
  listTargets(field, schema).every(({ id }) => isTypeReadable(rules, id));

/** Whether a sort by the field shows nothing that the agent may not read: references are sorted by the names of their entries. */
export const isOrderReadable = (rules: ReadRules, field: SchemaField, schema: SiteSchema): boolean =>
  isComparable(rules, field, schema) &&
  (field.fieldType !== FIELD.reference ||
    listTargets(field, schema).every((type) => !listHiddenFields(rules, type).has(type.keyField.id)));

/** Names of the fields that a query compares. */
export function listComparedNames(query: unknown): string[] {
  if (Array.isArray(query)) return query.flatMap(listComparedNames);
  if (typeof query !== 'object' || query === null) return [];
  return Object.entries(query).flatMap(([name, value]) =>
    name.startsWith('$') ? listComparedNames(value) : name,
  );
}

/** What a call names of an entry type. */
interface NamedFields {
  query?: unknown;
  fields?: readonly string[] | undefined;
  orderBy?: string | undefined;
}

/** @throws ApiError 403 if the call names a field that the agent may not read, compare or sort by */
export function requireFieldsReadable(
  rules: ReadRules,
  { query, fields = [], orderBy = '' }: NamedFields,
  type: EntryType,
  schema: SiteSchema,
): void {
  const { allowedTypeIds, forbiddenTypeIds, forbiddenFieldIds } = rules;
  if (!allowedTypeIds && forbiddenTypeIds.size === 0 && forbiddenFieldIds.size === 0) return;
  const find = (name: string): SchemaField | undefined => type.fieldsByName.get(name.toLowerCase());
  const hidden = listHiddenFields(rules, type);
  const compared = listComparedNames(query);
  const sortName = orderBy.replace(/^-/, '');
  for (const name of [...fields, ...compared, sortName]) {
    const field = find(name);
    if (field && hidden.has(field.id))
      throw forbidden(`${field.apiName} is forbidden to agents on this site`);
  }
  const sortField = find(sortName);
  const closed = [
    ...compared.flatMap((name) => find(name) ?? []).filter((field) => !isComparable(rules, field, schema)),
    ...(sortField && !isOrderReadable(rules, sortField, schema) ? [sortField] : []),
  ];
  for (const { apiName } of closed)
    throw forbidden(
      `${apiName} cannot be compared or sorted by: it refers to entries that this agent may not read`,
    );
}

/** Removes from values what the agent may not read. */
export interface ValueFilter {
  withholdsNothing: boolean;
  /** Whether a field of this name is left out. */
  isHidden: (name: string) => boolean;
  /** The values that the agent may read, and the names of those that refer to entries of types which it may not read. */
  withhold: (values: Readonly<Item>) => { values: Item; withheld: readonly string[] };
}

const NOTHING_WITHHELD: readonly string[] = [];
const KEEP_ALL: ValueFilter = {
  withholdsNothing: true,
  isHidden: () => false,
  withhold: (values) => ({ values, withheld: NOTHING_WITHHELD }),
};

/** The filter for values of a type. */
export function createValueFilter(rules: ReadRules, type: EntryType, schema: SiteSchema): ValueFilter {
  const { allowedTypeIds, forbiddenTypeIds, forbiddenFieldIds } = rules;
  if (!allowedTypeIds && forbiddenTypeIds.size === 0 && forbiddenFieldIds.size === 0) return KEEP_ALL;
  const hidden = listHiddenFields(rules, type);
  const hiddenNames = new Set(type.fields.flatMap(({ id, apiName }) => (hidden.has(id) ? [apiName] : [])));
  const nameless = new Set(
    schema.types.flatMap((each) => (listHiddenFields(rules, each).has(each.keyField.id) ? [each.id] : [])),
  );
  /** A single value; undefined for a reference to an entry of a type that the agent may not read. */
  const show = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('entryListId' in value)) return value;
    const { entryListId } = value;
    if (typeof entryListId !== 'number' || entryListId <= 0) return value;
    if (!isTypeReadable(rules, entryListId)) return undefined;
    if (!nameless.has(entryListId) || !('name' in value)) return value;
    const { name: _, ...rest } = value;
    return rest;
  };
  return {
    withholdsNothing: false,
    isHidden: (name) => hiddenNames.has(name),
    withhold(values) {
      const withheld: string[] = [];
      const visible = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
        if (hiddenNames.has(name)) return [];
        if (!Array.isArray(value)) {
          const shown = show(value);
          if (shown !== undefined) return [[name, shown]];
          withheld.push(name);
          return [];
        }
        const shown = value.map(show).filter((item) => item !== undefined);
        if (shown.length === value.length) return [[name, shown]];
        withheld.push(name);
        return shown.length === 0 ? [] : [[name, shown]];
      });
      return { values: Object.fromEntries(visible), withheld };
    },
  };
}
