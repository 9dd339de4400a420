import { createFileRoute } from '@tanstack/react-router';
import { readSchema } from '../../../entries/read-schema.ts';
import { readChangesView, writeChangesView } from '../../../entries/time/changes-view.ts';
import { ChangesPage } from './-ChangesPage.tsx';

export const Route = createFileRoute('/_app/changes/')({
  staticData: { title: 'Changes' },
  validateSearch: (search) => writeChangesView(readChangesView(search)),
  loader: async ({ context: { queryClient } }) => {
    await readSchema(queryClient);
  },
  component: ChangesPage,
});
