import { createFileRoute } from '@tanstack/react-router';
import type { ChangesSearch } from '../../../areas/entries/changes/changes-view.ts';
import { ChangesPage } from '../../../areas/entries/changes/ChangesPage.tsx';
import { loadSchema } from '../../../areas/entries/model/schema.ts';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/changes/')({
  staticData: { title: 'Changes' },
  validateSearch: passSearch<ChangesSearch>,
  loader: async ({ context: { queryClient } }) => {
    await loadSchema(queryClient);
  },
  component: ChangesPage,
});
