import { createFileRoute } from '@tanstack/react-router';
import { readSchema } from '../../../entries/read-schema.ts';

export const Route = createFileRoute('/_app/entries')({
  staticData: { title: 'Entries' },
  loader: async ({ context: { queryClient } }) => {
    await readSchema(queryClient);
  },
});
