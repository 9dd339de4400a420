import { createFileRoute } from '@tanstack/react-router';
import { parseChangesView, formatChangesView } from '../../../areas/entries/changes/changes-view.ts';
import { ChangesPage } from '../../../areas/entries/changes/ChangesPage.tsx';
import { loadSchema } from '../../../areas/entries/model/schema.ts';

export const Route = createFileRoute('/_app/changes/')({
  staticData: { title: 'Changes' },
  validateSearch: (search) => formatChangesView(parseChangesView(search)),
  loader: async ({ context: { queryClient } }) => {
    await loadSchema(queryClient);
  },
  component: ChangesPage,
});
