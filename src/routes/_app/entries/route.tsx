import { createFileRoute } from '@tanstack/react-router';
import { readSchema } from '../../../areas/entries/model/read-schema.ts';

export const Route = createFileRoute('/_app/entries')({
  staticData: { title: 'Entries' },
  // A method stays with the address (vite.config.ts): what it reads is asked for before the code of the page is there.
  async loader({ context: { queryClient } }) {
    await readSchema(queryClient);
  },
});
