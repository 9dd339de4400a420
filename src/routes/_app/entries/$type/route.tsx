import { createFileRoute } from '@tanstack/react-router';
import { readType } from '../../../../areas/entries/model/read-schema.ts';

export const Route = createFileRoute('/_app/entries/$type')({
  staticData: { title: 'Entries of a type' },
  async loader({ context: { queryClient }, params }) {
    return { title: (await readType(queryClient, params.type)).pluralName };
  },
  // Another type begins anew: its columns, its place.
  remountDeps: ({ params }) => params,
});
