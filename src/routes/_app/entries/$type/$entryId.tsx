import { createFileRoute, notFound } from '@tanstack/react-router';
import { entryQuery } from '../-entry-query.ts';
import { EntryPage } from '../-EntryPage.tsx';

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
  loader: async ({ context: { queryClient }, params: { type, entryId } }) => {
    const { name } = await queryClient.ensureQueryData(entryQuery(queryClient, type, entryId));
    return { title: name };
  },
  // Another entry begins anew.
  remountDeps: ({ params }) => params,
  component: EntryPage,
});
