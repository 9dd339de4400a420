import { createFileRoute } from '@tanstack/react-router';
import { NewTypePage } from '../../../areas/entries/import/ImportPage.tsx';

// The hyphen keeps this path apart from those of entry types, whose API names have none.
export const Route = createFileRoute('/_app/entries/from-file')({
  staticData: { title: 'New type from a file' },
  component: NewTypePage,
});
