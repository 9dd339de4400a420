import { createFileRoute } from '@tanstack/react-router';
import { loadEntryType } from '../../../../areas/entries/model/schema.ts';

export const Route = createFileRoute('/_app/entries/$type')({
  staticData: { title: 'Entries of a type' },
  async loader({ context: { queryClient }, params }) {
    return { title: (await loadEntryType(queryClient, params.type)).pluralName };
  },
  // Another type remounts the page with its own columns and scroll position.
  remountDeps: ({ params }) => params,
});
