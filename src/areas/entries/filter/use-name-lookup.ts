import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Condition } from '../../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { queryRows } from '../model/entry-rows.ts';
import { useUserNames } from '../model/field-users.ts';
import { getReferenceTypeIds } from '../model/schema.ts';
import type { Field, Schema } from '../model/schema.ts';
import { formatEntryName } from '../model/values.ts';
import { findComparedField } from './draft.ts';
import { lookUpChoiceName } from './format-filter.ts';
import type { NameLookup } from './format-filter.ts';

/** The ids in a condition that are compared with fields of one type. */
function collectIds(condition: Condition, fields: readonly Field[], fieldType: number): number[] {
  if (condition.kind === 'group')
    return condition.conditions.flatMap((nested) => collectIds(nested, fields, fieldType));
  const field = findComparedField(condition, fields);
  return field?.fieldType === fieldType
    ? condition.operands.filter((operand) => typeof operand === 'number')
    : [];
}

const toSortedUnique = (ids: readonly number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

/** Loads the names of entries of some types. */
async function loadEntryNames(
  schema: Schema,
  typeIds: readonly number[],
  ids: readonly number[],
  signal: AbortSignal,
) {
  const found = await Promise.all(
    typeIds.map(async (typeId) => {
      const key = schema.getFields(typeId).find(({ isKey }) => isKey);
      if (!key) return [];
      const query = { EntryId: { $in: [...ids] } };
      const { rows } = await queryRows(typeId, { query, fields: [key.apiName], limit: 1000 }, signal);
      return rows.map((row) => [row.EntryId, formatEntryName(row, key)] as const);
    }),
  );
  return new Map(found.flat());
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();

/** Looks up the names of the ids in a condition: choices in the schema, users in the directory, entries by a request. */
export function useNameLookup(condition: Condition, fields: readonly Field[], schema: Schema): NameLookup {
  const userNames = useUserNames(useStableIds(collectIds(condition, fields, FIELD.user)));
  const entryIds = toSortedUnique(collectIds(condition, fields, FIELD.reference));
  const references = fields.filter(({ fieldType }) => fieldType === FIELD.reference);
  const typeIds = toSortedUnique(references.flatMap((field) => getReferenceTypeIds(field, schema)));
  const { data: entryNames = NO_NAMES } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', names: entryIds, typeIds }],
    queryFn: ({ signal }) => loadEntryNames(schema, typeIds, entryIds, signal),
    enabled: entryIds.length > 0,
  });
  return (field, id) => {
    if (field.fieldType === FIELD.user) return userNames.get(id);
    if (field.fieldType === FIELD.reference) return entryNames.get(id);
    return lookUpChoiceName(field, id);
  };
}

/** Returns the same array for the same ids, so that queries keyed by it do not repeat. */
function useStableIds(ids: readonly number[]): readonly number[] {
  const key = toSortedUnique(ids).join();
  return useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
}
