import { createFileRoute, isNotFound, redirect } from '@tanstack/react-router';
import { loadEntryType, typesQuery } from '../../../../areas/entries/model/schema.ts';
import { parseId } from '../../../../lib/ids.ts';

const ENTRY_ID = /^\/entries\/(?:[^/]+\/)?([1-9]\d*)\/?$/;

export const Route = createFileRoute('/_app/entries/$type')({
  staticData: { title: 'Entries of a type' },
  loader: async ({ context: { queryClient }, params, location }) => {
    try {
      const type = await loadEntryType(queryClient, params.type);
      return {
        title: () =>
          (queryClient.getQueryData(typesQuery.queryKey)?.find(({ id }) => id === type.id) ?? type)
            .pluralName,
      };
    } catch (error) {
      // The address may hold the id of an entry instead of a type.
      const entryId = isNotFound(error) ? parseId(ENTRY_ID.exec(location.pathname)?.[1] ?? '') : undefined;
      if (entryId === undefined) throw error;
      const { findTypeOfEntry } = await import('../../../../areas/entries/pages/entry-query.ts');
      const typeId = await findTypeOfEntry(entryId);
      if (typeId === undefined) throw error;
      throw redirect({
        to: '/entries/$type/$entryId',
        params: { type: String(typeId), entryId },
        replace: true,
      });
    }
  },
  // Another type remounts the page with its own columns and scroll position.
  remountDeps: ({ params }) => params,
});
