import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { usePeopleNames } from '../model/people.ts';
import { typesOf } from '../model/schema.ts';
import type { Field, Schema } from '../model/schema.ts';
import { readRows } from '../model/use-rows.ts';
import { entryName } from '../model/values.ts';
import type { Node } from './draft.ts';
import { choiceName } from './words.ts';
import type { NameOf } from './words.ts';

/** The ids that a condition names, of fields of one type. */
function idsIn(node: Node, fields: readonly Field[], fieldType: number): number[] {
  if (node.kind === 'group') return node.of.flatMap((one) => idsIn(one, fields, fieldType));
  const field = fields.find(({ apiName }) => apiName === node.field);
  return field?.fieldType === fieldType ? node.operands.filter((one) => typeof one === 'number') : [];
}

const distinct = (ids: readonly number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

/** Reads how entries of some types are called. */
async function readNames(
  schema: Schema,
  typeIds: readonly number[],
  ids: readonly number[],
  signal: AbortSignal,
) {
  const found = await Promise.all(
    typeIds.map(async (typeId) => {
      const key = schema.fieldsOf(typeId).find(({ isKey }) => isKey);
      if (!key) return [];
      const query = { EntryId: { $in: [...ids] } };
      const { rows } = await readRows(typeId, { query, fields: [key.apiName], limit: 1000 }, signal);
      return rows.map((row) => [row.EntryId, entryName(row, key)] as const);
    }),
  );
  return new Map(found.flat());
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();

/** How the ids of a condition are called: choices by the schema, people by the directory, entries by asking. */
export function useNameOf(node: Node, fields: readonly Field[], schema: Schema): NameOf {
  const people = usePeopleNames(useSteady(idsIn(node, fields, FIELD.user)));
  const entries = distinct(idsIn(node, fields, FIELD.reference));
  const references = fields.filter(({ fieldType }) => fieldType === FIELD.reference);
  const typeIds = distinct(references.flatMap((field) => typesOf(field, schema)));
  const { data: names = NO_NAMES } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', names: entries, typeIds }],
    queryFn: ({ signal }) => readNames(schema, typeIds, entries, signal),
    enabled: entries.length > 0,
  });
  return (field, id) => {
    if (field.fieldType === FIELD.user) return people.get(id);
    if (field.fieldType === FIELD.reference) return names.get(id);
    return choiceName(field, id);
  };
}

/** The same ids are the same list, however it came about. */
function useSteady(ids: readonly number[]): readonly number[] {
  const key = distinct(ids).join();
  return useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
}
