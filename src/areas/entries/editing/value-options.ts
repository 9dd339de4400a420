import type { NamedValue } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { splitIntoChunks } from '../../../lib/chunks.ts';
import { queryRows } from '../model/entry-rows.ts';
import type { FieldUser, UserFinder } from '../model/field-users.ts';
import { getReferenceTypeIds } from '../model/schema.ts';
import type { Field, Schema } from '../model/schema.ts';
import { formatItem, toItems, getValue } from '../model/values.ts';

/** A value that can be selected in a field, with a hint that distinguishes equal names. */
export interface ValueOption {
  value: NamedValue;
  label: string;
  hint?: string;
}

/** Sources for looking up names. */
export interface Sources {
  schema: Schema;
  findUsers: UserFinder;
}

const MAX_OPTIONS = 50;
const CHUNK_NAMES = 200;
const MAX_ROWS = 1000;

const toUserValue = ({ id, name }: FieldUser): NamedValue => ({ id, name, entryListId: -1 });

/** Loads entries of a type whose name matches a condition; all if it is undefined. */
async function queryEntries(typeId: number, schema: Schema, condition: unknown, signal?: AbortSignal) {
  const key = schema.getFields(typeId).find(({ isKey }) => isKey);
  if (!key) return [];
  const query = condition === undefined ? {} : { [key.apiName]: condition };
  const limit = Array.isArray(condition) ? MAX_ROWS : MAX_OPTIONS;
  const { rows } = await queryRows(typeId, { query, fields: [key.apiName], limit }, signal);
  return rows.map((row): NamedValue => {
    const [name] = toItems(getValue(row, key));
    const text = name === undefined ? '' : formatItem(name, key);
    return {
      id: row.EntryId,
      name: text === '' ? `Entry ${row.EntryId}` : text,
      type: 0,
      entryListId: typeId,
    };
  });
}

/** Finds the choices, users or entries whose name contains the text, up to a limit. @throws ServiceError */
export async function findValueOptions(
  field: Field,
  { schema, findUsers }: Sources,
  text: string,
  signal: AbortSignal,
): Promise<readonly ValueOption[]> {
  if (field.fieldType === FIELD.user)
    return (await findUsers(text, MAX_OPTIONS)).map((user) => ({
      value: toUserValue(user),
      label: user.name,
      ...(user.email !== undefined && { hint: user.email }),
    }));
  if (field.fieldType === FIELD.reference) {
    const condition = text === '' ? undefined : { $contains: text };
    const found = await Promise.all(
      getReferenceTypeIds(field, schema).map((typeId) => queryEntries(typeId, schema, condition, signal)),
    );
    return found.flat().map((value) => ({
      value,
      label: value.name,
      hint: `${schema.typeById.get(value.entryListId ?? 0)?.singularName ?? ''} ${value.id}`,
    }));
  }
  return filterChoices(field, text);
}

function filterChoices({ choiceValues = [] }: Field, text: string): readonly ValueOption[] {
  const needle = foldText(text);
  const found = choiceValues.filter(({ name }) => foldText(name).includes(needle));
  // Names that start with the text come first.
  const starting = found.filter(({ name }) => foldText(name).startsWith(needle));
  const others = found.filter(({ name }) => !foldText(name).startsWith(needle));
  return [...starting, ...others].slice(0, MAX_OPTIONS).map((value) => ({ value, label: value.name }));
}

/** Looked-up values by name; a text is the reason why a name has no unique match. */
export type ResolvedNames = ReadonlyMap<string, NamedValue | string>;

const pickMatch = (name: string, found: readonly NamedValue[], kindName: string): NamedValue | string => {
  const [match, other] = found;
  if (!match) return `There is no ${kindName} named "${name}"`;
  return other ? `"${name}" is not unique: ${found.length} matches` : match;
};

async function resolveUsers(names: readonly string[], findPeople: UserFinder): Promise<ResolvedNames> {
  const resolved = new Map<string, NamedValue | string>();
  for (const name of names) {
    const needle = foldText(name);
    // Sequential requests to the directory worker.
    const found = await findPeople(name, 10);
    const exactMatches = found.filter(
      (user) => foldText(user.name) === needle || foldText(user.email ?? '') === needle,
    );
    resolved.set(name, pickMatch(name, exactMatches.map(toUserValue), 'user on this site'));
  }
  return resolved;
}

async function resolveEntries(
  names: readonly string[],
  field: Field,
  schema: Schema,
): Promise<ResolvedNames> {
  const byName = new Map<string, NamedValue[]>();
  for (const $in of splitIntoChunks(names, CHUNK_NAMES)) {
    // Sequential, to limit the load on the service.
    const found = await Promise.all(
      getReferenceTypeIds(field, schema).map((typeId) => queryEntries(typeId, schema, { $in })),
    );
    for (const entry of found.flat()) {
      const key = entry.name.toLowerCase();
      byName.set(key, [...(byName.get(key) ?? []), entry]);
    }
  }
  return new Map(
    names.map((name) => {
      const found = byName.get(name.toLowerCase()) ?? [];
      const exactMatches = found.filter((entry) => entry.name === name);
      return [name, pickMatch(name, exactMatches.length === 1 ? exactMatches : found, 'entry')];
    }),
  );
}

/** Looks up names pasted into a user or reference field. @throws ServiceError */
export const resolveNames = (
  field: Field,
  { schema, findUsers }: Sources,
  names: readonly string[],
): Promise<ResolvedNames> =>
  field.fieldType === FIELD.user ? resolveUsers(names, findUsers) : resolveEntries(names, field, schema);
