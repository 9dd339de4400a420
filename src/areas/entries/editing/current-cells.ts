import { queryOptions } from '@tanstack/react-query';
import type { DataRequestResultVm, FieldValue } from '../../../../contract/generated/types.gen.ts';
import { readEntryData } from '../../../api/generated/sdk/entries.gen.ts';
import type { Field } from '../model/schema.ts';
import { isSameValue } from '../model/values.ts';
import { getCellKey } from './change-set.ts';
import type { StagedCell } from './change-set.ts';
import { MAX_REQUEST_ITEMS } from './send.ts';

/** The stored value of a cell now. */
export interface CurrentCell {
  value: FieldValue | undefined;
  modified: string | undefined;
  modifiedBy: number | undefined;
  /** The service's message if the entry or the field was deleted. */
  deletedMessage: string | undefined;
}

const toCurrentCell = ({ value, modified, modifiedBy, error }: DataRequestResultVm): CurrentCell => ({
  value,
  modified: modified ?? undefined,
  modifiedBy: modifiedBy ?? undefined,
  deletedMessage: error?.code === 404 ? error.description : undefined,
});

/** Fields with a `requiredWhen` rule and fields that such rules compare. */
export const getRuleFields = (fields: readonly Field[]): readonly Field[] => {
  const comparedIds = new Set(
    fields.flatMap(({ requiredWhen }) => requiredWhen?.conditions.map(({ fieldId }) => fieldId) ?? []),
  );
  return fields.filter((field) => comparedIds.has(field.id) || field.requiredWhen);
};

/** Loads the stored values of staged cells, and of the fields of their entries that `requiredWhen` rules need. */
export const currentCellsQuery = (typeId: number, cells: readonly StagedCell[], fields: readonly Field[]) => {
  const existing = cells.filter(({ entryId }) => entryId > 0);
  const entries = [...new Set(existing.map(({ entryId }) => entryId))];
  const keys = new Map(
    existing.map(({ entryId, fieldId }) => [getCellKey({ entryId, fieldId }), { entryId, fieldId }]),
  );
  for (const entryId of entries)
    for (const { id: fieldId } of getRuleFields(fields))
      keys.set(getCellKey({ entryId, fieldId }), { entryId, fieldId });
  // Staged cells come first if not all fit; the service checks the rest when saving.
  const requested = [...keys.values()].slice(0, MAX_REQUEST_ITEMS);
  return queryOptions({
    queryKey: [{ _id: 'readEntryData', typeId, review: requested }],
    queryFn: async ({ signal }) => {
      const { data } = await readEntryData({ body: requested, query: { wrapIntoArrays: true }, signal });
      return new Map(requested.map((cell, index) => [getCellKey(cell), toCurrentCell(data[index] ?? {})]));
    },
    enabled: requested.length > 0,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });
};

/** Whether the staged value is stored already, by someone else or by an unanswered request. */
export const isAlreadyStored = (cell: StagedCell, current: CurrentCell | undefined): boolean =>
  current !== undefined &&
  current.deletedMessage === undefined &&
  !cell.invalidInput &&
  isSameValue(current.value, cell.value) &&
  !isSameValue(current.value, cell.before);

/** Whether the stored value changed after the cell was edited, to neither value. */
export const isConflict = (cell: StagedCell, current: CurrentCell | undefined): boolean =>
  current !== undefined &&
  (current.deletedMessage !== undefined ||
    (!isSameValue(current.value, cell.before) && !isSameValue(current.value, cell.value)));
