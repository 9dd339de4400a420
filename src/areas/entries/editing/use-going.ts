import { queryOptions } from '@tanstack/react-query';
import { QUERY_LIMITS } from '../../../../contract/rules/query/tree.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { referringTo } from '../model/schema-words.ts';
import type { Field, Schema } from '../model/schema.ts';
import { readRows } from '../model/use-rows.ts';
import { valueIn } from '../model/values.ts';
import { TEXT_LIMIT, isCut } from '../model/whole.ts';
import type { StagedDeletion } from './changes.ts';
import { sameValue } from './written.ts';

/** What has become of an entry since somebody decided that it goes: it is gone already, or other fields hold else. */
export interface Meanwhile {
  row: RowVm | undefined;
  changed: readonly Field[];
}

// So many rows are read at once.
const CHUNK = 500;
const partsOf = (ids: readonly number[], size: number): number[][] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));

/** Whether both hold the same of a field, of a long text as far as both were read. */
function holdSame(seen: RowVm, now: RowVm, field: Field): boolean {
  const [before, after] = [valueIn(seen, field), valueIn(now, field)];
  if (typeof before !== 'string' || typeof after !== 'string') return sameValue(before, after);
  if (!isCut(seen, field) && !isCut(now, field)) return before === after;
  return isCut(seen, field) ? after.startsWith(before) : before.startsWith(after);
}

/** What somebody else has made of an entry that is to go; undefined where it is as it was seen. */
export function meanwhileOf(
  { seen, fieldIds }: StagedDeletion,
  row: RowVm | undefined,
  fields: readonly Field[],
): Meanwhile | undefined {
  if (!row) return { row, changed: [] };
  // What is calculated changes by itself, and with what it reads.
  const looked = fields.filter(({ id, isCalculated }) => !isCalculated && fieldIds.includes(id));
  const changed = looked.filter((field) => !holdSame(seen, row, field));
  return changed.length > 0 ? { row, changed } : undefined;
}

/** Reads the entries that are to go as they are now, and tells those that are not as they were seen. */
export function meanwhileQuery(
  typeId: number,
  deletions: readonly StagedDeletion[],
  fields: readonly Field[],
) {
  const looked = new Set(deletions.flatMap(({ fieldIds }) => fieldIds));
  const names = fields.filter(({ id }) => looked.has(id)).map(({ apiName }) => apiName);
  return queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, going: deletions }],
    async queryFn({ signal }) {
      const now = new Map<number, RowVm>();
      for (const $in of partsOf(
        deletions.map(({ entryId }) => entryId),
        CHUNK,
      )) {
        const question = { query: { EntryId: { $in } }, fields: ['EntryId', ...names], limit: CHUNK };
        // oxlint-disable-next-line no-await-in-loop -- a service is asked one thing after the other
        const { rows } = await readRows(typeId, { ...question, textLimit: TEXT_LIMIT }, signal);
        for (const row of rows) now.set(row.EntryId, row);
      }
      return new Map(
        deletions.flatMap((deletion) => {
          const meanwhile = meanwhileOf(deletion, now.get(deletion.entryId), fields);
          return meanwhile ? [[deletion.entryId, meanwhile] as const] : [];
        }),
      );
    },
    enabled: deletions.length > 0,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });
}

/** So many entries hold a reference to some that go, in a field: they are left without it. */
interface Left {
  field: Field;
  entries: number;
}

/** Each field that may refer is a question of its own. */
const MOST_ASKED = 80;
const { operands, comparisons } = QUERY_LIMITS;
/** So many entries are told in one query, and once more to leave out those that go themselves. */
export const MOST_COUNTED = operands * Math.floor(comparisons / 2);

/**
 * Asks for the entries that refer to some that go, besides themselves. All in one query: an entry that refers to several
 * of them is one, and no sum of parts tells that.
 */
export function referringQuery(field: Field, typeId: number, entryIds: readonly number[]) {
  const parts = partsOf(entryIds, operands);
  const others = field.entryTypeId === typeId ? parts.map(($nin) => ({ EntryId: { $nin } })) : [];
  return { $and: [{ $or: parts.map(($in) => ({ [field.apiName]: { $in } })) }, ...others] };
}

/** Counts what refers to entries that are to go, by the field that does; `isWhole` unless there was too much to ask. */
export function leftQuery(typeId: number, entryIds: readonly number[], schema: Schema) {
  const all = referringTo(typeId, schema);
  const asked = entryIds.length > MOST_COUNTED ? [] : all.slice(0, MOST_ASKED);
  return queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, leaving: entryIds }],
    async queryFn({ signal }) {
      const left: Left[] = [];
      for (const field of asked) {
        const question = { query: referringQuery(field, typeId, entryIds), fields: ['EntryId'], limit: 1 };
        // oxlint-disable-next-line no-await-in-loop -- a service is asked one thing after the other
        const { totalRecords } = await readRows(field.entryTypeId, question, signal);
        if (totalRecords > 0) left.push({ field, entries: totalRecords });
      }
      return { left, isWhole: asked.length === all.length };
    },
    enabled: entryIds.length > 0,
    staleTime: 0,
    gcTime: 0,
  });
}
