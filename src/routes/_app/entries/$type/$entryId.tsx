import { createFileRoute, isNotFound, redirect } from '@tanstack/react-router';
import { parseTimestamps } from '../../../../areas/entries/history/timestamps.ts';
import { entryQuery, findTypeOfEntry } from '../../../../areas/entries/pages/entry-query.ts';
import { EntryPage } from '../../../../areas/entries/pages/EntryPage.tsx';
import { parsePathId } from '../../../../lib/ids.ts';

export const Route = createFileRoute('/_app/entries/$type/$entryId')({
  staticData: { title: 'Entry' },
  params: {
    parse: ({ entryId }) => ({ entryId: parsePathId(entryId) }),
    stringify: ({ entryId }) => ({ entryId: String(entryId) }),
  },
  // Timestamps to compare: one with today, or two with each other; and whether the history has only changes through a proxy.
  validateSearch: (search): { at?: string; with?: string; proxy?: 'only' } => {
    const [at, other] = parseTimestamps(search.at, search.with);
    return {
      ...(at !== undefined && { at }),
      ...(other !== undefined && { with: other }),
      ...(search.proxy === 'only' && { proxy: 'only' }),
    };
  },
  loader: async ({ context: { queryClient }, params: { type, entryId } }) => {
    try {
      const query = entryQuery(queryClient, type, entryId);
      const entry = await queryClient.ensureQueryData(query);
      return { title: () => (queryClient.getQueryData(query.queryKey) ?? entry).name };
    } catch (error) {
      // The id may be that of an entry of another type.
      const typeId = isNotFound(error) ? await findTypeOfEntry(entryId) : undefined;
      if (typeId === undefined) throw error;
      throw redirect({
        to: '/entries/$type/$entryId',
        params: { type: String(typeId), entryId },
        replace: true,
      });
    }
  },
  // Another entry remounts the page.
  remountDeps: ({ params }) => params,
  component: EntryPage,
});
