import { createFileRoute } from '@tanstack/react-router';
import { loadSchema } from '../../../areas/entries/model/schema.ts';

export const Route = createFileRoute('/_app/reports')({
  staticData: { title: 'Reports' },
  // A method, so that the loader is not split off the route (vite.config.ts): data loads before the page's code.
  async loader({ context: { queryClient } }) {
    await loadSchema(queryClient);
  },
});
