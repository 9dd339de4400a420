import { FIELD } from '../../../../contract/rules/fields.ts';
import type { NamedValue } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import type { FieldUser, PeopleFinder } from '../model/people.ts';
import type { Field, Schema } from '../model/schema.ts';
import { readRows } from '../model/use-rows.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';

/** Something a field can hold, with what tells it from others of its name. */
export interface Candidate {
  value: NamedValue | boolean;
  label: string;
  hint?: string;
}

/** Where names are looked up, besides the service. */
export interface Sources {
  schema: Schema;
  findPeople: PeopleFinder;
}

const MOST = 50;
const CHUNK = 200;
const MOST_ROWS = 1000;

const personValue = ({ id, name }: FieldUser): NamedValue => ({ id, name, entryListId: -1 });

/** The types that a field may refer to: those it names, or any. */
const targetsOf = ({ entryLists = [] }: Field, { types }: Schema): readonly number[] =>
  entryLists.length > 0 ? entryLists : types.map(({ id }) => id);

async function entriesOf(typeId: number, schema: Schema, sought: unknown, signal?: AbortSignal) {
  const key = schema.fieldsOf(typeId).find(({ isKey }) => isKey);
  if (!key) return [];
  const query = sought === undefined ? {} : { [key.apiName]: sought };
  const limit = Array.isArray(sought) ? MOST_ROWS : MOST;
  const { rows } = await readRows(typeId, { query, fields: [key.apiName], limit }, signal);
  return rows.map((row): NamedValue => {
    const [name] = itemsOf(valueIn(row, key));
    const text = name === undefined ? '' : itemText(name, key);
    return {
      id: row.EntryId,
      name: text === '' ? `Entry ${row.EntryId}` : text,
      type: 0,
      entryListId: typeId,
    };
  });
}

/** Choices, people or entries whose name fits what was typed; of thousands those that come first. */
export async function findCandidates(
  field: Field,
  { schema, findPeople }: Sources,
  typed: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  if (field.fieldType === FIELD.user)
    return (await findPeople(typed, MOST)).map((user) => ({
      value: personValue(user),
      label: user.name,
      ...(user.email !== undefined && { hint: user.email }),
    }));
  if (field.fieldType === FIELD.reference) {
    const sought = typed === '' ? undefined : { $contains: typed };
    const found = await Promise.all(
      targetsOf(field, schema).map((typeId) => entriesOf(typeId, schema, sought, signal)),
    );
    return found.flat().map((value) => ({
      value,
      label: value.name,
      hint: `${schema.typeById.get(value.entryListId ?? 0)?.singularName ?? ''} ${value.id}`,
    }));
  }
  return offered(field, typed);
}

const YES_NO: readonly Candidate[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
];

function offered({ fieldType, choiceValues = [] }: Field, typed: string): readonly Candidate[] {
  const sought = fold(typed);
  const fits = (name: string) => fold(name).includes(sought);
  if (fieldType === FIELD.boolean) return YES_NO.filter(({ label }) => fits(label));
  const found = choiceValues.filter(({ name }) => fits(name));
  // Names that begin so come first.
  const begins = found.filter(({ name }) => fold(name).startsWith(sought));
  const others = found.filter(({ name }) => !fold(name).startsWith(sought));
  return [...begins, ...others].slice(0, MOST).map((value) => ({ value, label: value.name }));
}

/** Whom or what names mean, or why that is not clear. */
export type Resolved = ReadonlyMap<string, NamedValue | string>;

const verdict = (name: string, found: readonly NamedValue[], what: string): NamedValue | string => {
  const [only, other] = found;
  if (!only) return `No ${what} is called "${name}"`;
  return other ? `${found.length} are called "${name}"` : only;
};

async function resolvePeople(names: readonly string[], findPeople: PeopleFinder): Promise<Resolved> {
  const resolved = new Map<string, NamedValue | string>();
  for (const name of names) {
    const sought = fold(name);
    // oxlint-disable-next-line no-await-in-loop -- asked of a worker, one after the other
    const found = await findPeople(name, 10);
    const exact = found.filter(
      ({ name: called, email = '' }) => fold(called) === sought || fold(email) === sought,
    );
    resolved.set(name, verdict(name, exact.map(personValue), 'person on this site'));
  }
  return resolved;
}

async function resolveEntries(names: readonly string[], field: Field, schema: Schema): Promise<Resolved> {
  const byName = new Map<string, NamedValue[]>();
  for (let at = 0; at < names.length; at += CHUNK) {
    const $in = names.slice(at, at + CHUNK);
    // oxlint-disable-next-line no-await-in-loop -- a service is asked one thing after the other
    const found = await Promise.all(
      targetsOf(field, schema).map((typeId) => entriesOf(typeId, schema, { $in })),
    );
    for (const entry of found.flat()) {
      const key = entry.name.toLowerCase();
      byName.set(key, [...(byName.get(key) ?? []), entry]);
    }
  }
  return new Map(
    names.map((name) => {
      const found = byName.get(name.toLowerCase()) ?? [];
      const exact = found.filter((entry) => entry.name === name);
      return [name, verdict(name, exact.length === 1 ? exact : found, 'entry')];
    }),
  );
}

/** Looks names up that were pasted into a field of people or references. */
export const resolveNames = (
  field: Field,
  { schema, findPeople }: Sources,
  names: readonly string[],
): Promise<Resolved> =>
  field.fieldType === FIELD.user ? resolvePeople(names, findPeople) : resolveEntries(names, field, schema);
