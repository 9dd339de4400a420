import { queryOptions } from '@tanstack/react-query';
import type { DataRequestResultVm, RowVm } from '../../../../contract/generated/types.gen.ts';
import { QUERY_LIMITS } from '../../../../contract/rules/query/condition.ts';
import { readEntryData } from '../../../api/generated/sdk/entries.gen.ts';
import { splitIntoChunks } from '../../../lib/chunks.ts';
import { queryRows } from '../model/entry-rows.ts';
import { getReferencingFields } from '../model/field-usage.ts';
import { WINDOW_TEXT_LIMIT, isTruncated } from '../model/full-values.ts';
import type { Field, Schema } from '../model/schema.ts';
import { getValue, isSameValue } from '../model/values.ts';
import type { StagedDeletion } from './change-set.ts';
import { MAX_REQUEST_ITEMS } from './send.ts';

/** Changes of an entry after its deletion was staged: it was deleted, or displayed fields changed. */
export interface DeletionConflict {
  /** The current row; undefined if the entry was deleted. */
  row: RowVm | undefined;
  changedFields: readonly Field[];
}

/** A conflict with those who changed the displayed fields last; an unknown or former user is missing. */
export interface AuthoredConflict extends DeletionConflict {
  modifiedBy: readonly number[];
}

/** Rows per request. */
const CHUNK_ROWS = 500;

/** Whether both rows have the same value of the field; truncated texts are compared as far as both are loaded. */
function hasSameValue(staged: RowVm, current: RowVm, field: Field): boolean {
  const [before, after] = [getValue(staged, field), getValue(current, field)];
  if (typeof before !== 'string' || typeof after !== 'string') return isSameValue(before, after);
  if (!isTruncated(staged, field) && !isTruncated(current, field)) return before === after;
  return isTruncated(staged, field) ? after.startsWith(before) : before.startsWith(after);
}

/** Compares a staged deletion with the current row; undefined if nothing displayed has changed. */
export function findDeletionConflict(
  { row: stagedRow, fieldIds }: StagedDeletion,
  row: RowVm | undefined,
  fields: readonly Field[],
): DeletionConflict | undefined {
  if (!row) return { row, changedFields: [] };
  // Calculated fields change by themselves or with the fields they read.
  const comparedFields = fields.filter(({ id, isCalculated }) => !isCalculated && fieldIds.includes(id));
  const changedFields = comparedFields.filter((field) => !hasSameValue(stagedRow, row, field));
  return changedFields.length > 0 ? { row, changedFields } : undefined;
}

async function readCells(
  cells: { entryId: number; fieldId: number }[],
  signal: AbortSignal,
): Promise<readonly DataRequestResultVm[]> {
  try {
    return (await readEntryData({ body: cells, signal })).data;
  } catch {
    return [];
  }
}

/** Reads who changed the cells of conflicts, as far as one request goes. A failure leaves them unknown: the conflicts count. */
async function addAuthors(
  conflicts: ReadonlyMap<number, DeletionConflict>,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, AuthoredConflict>> {
  const cells = [...conflicts]
    .flatMap(([entryId, { changedFields }]) => changedFields.map(({ id: fieldId }) => ({ entryId, fieldId })))
    .slice(0, MAX_REQUEST_ITEMS);
  const data = cells.length === 0 ? [] : await readCells(cells, signal);
  const authors = new Map([...conflicts.keys()].map((entryId) => [entryId, new Set<number>()]));
  for (const [at, { entryId }] of cells.entries()) {
    const author = data[at]?.modifiedBy;
    if (typeof author === 'number') authors.get(entryId)?.add(author);
  }
  return new Map(
    [...conflicts].map(([entryId, conflict]) => [
      entryId,
      { ...conflict, modifiedBy: [...(authors.get(entryId) ?? [])] },
    ]),
  );
}

/** Loads the entries to be deleted and finds those that changed, by entry id. */
export function deletionConflictsQuery(
  typeId: number,
  deletions: readonly StagedDeletion[],
  fields: readonly Field[],
) {
  const fieldIds = new Set(deletions.flatMap((deletion) => deletion.fieldIds));
  const names = fields.filter(({ id }) => fieldIds.has(id)).map(({ apiName }) => apiName);
  return queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, stagedDeletions: deletions }],
    async queryFn({ signal }) {
      const currentRows = new Map<number, RowVm>();
      for (const $in of splitIntoChunks(
        deletions.map(({ entryId }) => entryId),
        CHUNK_ROWS,
      )) {
        const query = { query: { EntryId: { $in } }, fields: ['EntryId', ...names], limit: CHUNK_ROWS };
        // Sequential, to limit the load on the service.
        const { rows } = await queryRows(typeId, { ...query, textLimit: WINDOW_TEXT_LIMIT }, signal);
        for (const row of rows) currentRows.set(row.EntryId, row);
      }
      const conflicts = new Map(
        deletions.flatMap((deletion) => {
          const conflict = findDeletionConflict(deletion, currentRows.get(deletion.entryId), fields);
          return conflict ? [[deletion.entryId, conflict] as const] : [];
        }),
      );
      return addAuthors(conflicts, signal);
    },
    enabled: deletions.length > 0,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });
}

/** Number of entries whose reference field refers to entries to be deleted; the deletion empties it. */
interface ReferenceCount {
  field: Field;
  entries: number;
}

/** Upper bound of fields that are counted; each takes a request. */
const MAX_REFERENCE_FIELDS = 80;
const { operands, comparisons } = QUERY_LIMITS;
/** Upper bound of deletions for which references are counted: a query lists the ids twice within its limits. */
export const MAX_COUNTED_ENTRIES = operands * Math.floor(comparisons / 2);

/**
 * Builds the query for entries that refer to any of the entries, except the entries themselves. It is one query, since
 * sums of several would count an entry with several references more than once.
 */
export function buildReferencesQuery(field: Field, typeId: number, entryIds: readonly number[]) {
  const chunks = splitIntoChunks(entryIds, operands);
  const exclusions = field.entryTypeId === typeId ? chunks.map(($nin) => ({ EntryId: { $nin } })) : [];
  return { $and: [{ $or: chunks.map(($in) => ({ [field.apiName]: { $in } })) }, ...exclusions] };
}

/** Counts the references to entries to be deleted by field; not `isComplete` if there are too many to count. */
export function referenceCountsQuery(typeId: number, entryIds: readonly number[], schema: Schema) {
  const referencingFields = getReferencingFields(typeId, schema);
  const countedFields =
    entryIds.length > MAX_COUNTED_ENTRIES ? [] : referencingFields.slice(0, MAX_REFERENCE_FIELDS);
  return queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, referencesTo: entryIds }],
    async queryFn({ signal }) {
      const references: ReferenceCount[] = [];
      for (const field of countedFields) {
        const query = { query: buildReferencesQuery(field, typeId, entryIds), fields: ['EntryId'], limit: 1 };
        // Sequential, to limit the load on the service.
        const { totalRecords } = await queryRows(field.entryTypeId, query, signal);
        if (totalRecords > 0) references.push({ field, entries: totalRecords });
      }
      return { left: references, isComplete: countedFields.length === referencingFields.length };
    },
    enabled: entryIds.length > 0,
    staleTime: 0,
    gcTime: 0,
  });
}
