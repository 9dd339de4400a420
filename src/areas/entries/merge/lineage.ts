import { queryOptions } from '@tanstack/react-query';
import { readEntryLineage } from '../../../api/generated/sdk.gen.ts';

/** What became of an entry, and which entries it was merged with. */
export const lineageQuery = (typeId: number, entryId: number) =>
  queryOptions({
    queryKey: [{ _id: 'readEntryLineage', typeId, entryId }],
    queryFn: async ({ signal }) =>
      (await readEntryLineage({ path: { entryTypeId: String(typeId), entryId }, signal })).data,
  });
