import { createFileRoute } from '@tanstack/react-router';
import { readSchema } from '../../../areas/entries/model/read-schema.ts';
import { readChangesView, writeChangesView } from '../../../areas/entries/history/changes-view.ts';
import { ChangesPage } from '../../../areas/entries/changes/ChangesPage.tsx';

export const Route = createFileRoute('/_app/changes/')({
  staticData: { title: 'Changes' },
  validateSearch: (search) => writeChangesView(readChangesView(search)),
  loader: async ({ context: { queryClient } }) => {
    await readSchema(queryClient);
  },
  component: ChangesPage,
});
