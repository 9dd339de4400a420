import { createFileRoute } from '@tanstack/react-router';
import { ImportPage } from '../../../../areas/entries/import/ImportPage.tsx';

export const Route = createFileRoute('/_app/entries/$type/import')({
  staticData: { title: 'Import' },
  component: ImportPage,
});
