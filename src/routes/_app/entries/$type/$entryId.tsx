import { createFileRoute, notFound } from '@tanstack/react-router';
import { momentsIn } from '../../../../areas/entries/history/moments.ts';
import { entryQuery } from '../../../../areas/entries/pages/entry-query.ts';
import { EntryPage } from '../../../../areas/entries/pages/EntryPage.tsx';

const WHOLE = /^[1-9]\d{0,9}$/;

export const Route = createFileRoute('/_app/entries/$type/$entryId')({
  staticData: { title: 'Entry' },
  params: {
    parse({ entryId }) {
      if (!WHOLE.test(entryId)) throw notFound();
      return { entryId: Number(entryId) };
    },
    stringify: ({ entryId }) => ({ entryId: String(entryId) }),
  },
  // Moments that are looked at: one beside today, or two side by side.
  validateSearch: (search): { at?: string; with?: string } => {
    const [at, other] = momentsIn(search.at, search.with);
    return { ...(at !== undefined && { at }), ...(other !== undefined && { with: other }) };
  },
  loader: async ({ context: { queryClient }, params: { type, entryId } }) => {
    const { name } = await queryClient.ensureQueryData(entryQuery(queryClient, type, entryId));
    return { title: name };
  },
  // Another entry begins anew.
  remountDeps: ({ params }) => params,
  component: EntryPage,
});
