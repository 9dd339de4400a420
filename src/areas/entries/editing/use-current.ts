import { queryOptions } from '@tanstack/react-query';
import { readEntryData } from '../../../api/generated/sdk.gen.ts';
import type { DataRequestResultVm, FieldValue } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { cellKey } from './changes.ts';
import type { StagedCell } from './changes.ts';
import { MOST_ITEMS } from './send.ts';
import { sameValue } from './written.ts';

/** What the service holds in a cell now. */
export interface Current {
  value: FieldValue | undefined;
  modified: string | undefined;
  modifiedBy: number | undefined;
  /** The entry or the field is there no more: which, as the service says it. */
  gone: string | undefined;
}

const currentOf = ({ value, modified, modifiedBy, error }: DataRequestResultVm): Current => ({
  value,
  modified: modified ?? undefined,
  modifiedBy: modifiedBy ?? undefined,
  gone: error?.code === 404 ? error.description : undefined,
});

/** Fields that decide what others need, and those that may be needed. */
export const ruled = (fields: readonly Field[]): readonly Field[] => {
  const asked = new Set(
    fields.flatMap(({ requiredWhen }) => requiredWhen?.conditions.map((one) => one.fieldId) ?? []),
  );
  return fields.filter((field) => asked.has(field.id) || field.requiredWhen);
};

/** Reads staged cells as the service has them now, with the fields on which depends what their entries need. */
export const currentQuery = (typeId: number, cells: readonly StagedCell[], fields: readonly Field[]) => {
  const existing = cells.filter(({ entryId }) => entryId > 0);
  const entries = [...new Set(existing.map(({ entryId }) => entryId))];
  const keys = new Map(
    existing.map(({ entryId, fieldId }) => [cellKey({ entryId, fieldId }), { entryId, fieldId }]),
  );
  for (const entryId of entries)
    for (const { id: fieldId } of ruled(fields))
      keys.set(cellKey({ entryId, fieldId }), { entryId, fieldId });
  // Where not all fit, the staged ones come first; the service looks at the rest.
  const asked = [...keys.values()].slice(0, MOST_ITEMS);
  return queryOptions({
    queryKey: [{ _id: 'readEntryData', typeId, review: asked }],
    queryFn: async ({ signal }) => {
      const { data } = await readEntryData({ body: asked, query: { wrapIntoArrays: true }, signal });
      return new Map(asked.map((cell, at) => [cellKey(cell), currentOf(data[at] ?? {})]));
    },
    enabled: asked.length > 0,
    staleTime: 0,
    gcTime: 0,
    structuralSharing: false,
  });
};

/** A staged cell that holds by now what is staged for it. */
export const isThere = (cell: StagedCell, current: Current | undefined): boolean =>
  current !== undefined &&
  current.gone === undefined &&
  !cell.misfit &&
  sameValue(current.value, cell.value) &&
  !sameValue(current.value, cell.before);

/** A staged cell that holds something else by now than when it was changed. */
export const isOvertaken = (cell: StagedCell, current: Current | undefined): boolean =>
  current !== undefined &&
  (current.gone !== undefined ||
    (!sameValue(current.value, cell.before) && !sameValue(current.value, cell.value)));
