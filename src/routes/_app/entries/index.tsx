import { createFileRoute } from '@tanstack/react-router';
import { TypesPage } from '../../../areas/schema/pages/TypesPage.tsx';

export const Route = createFileRoute('/_app/entries/')({
  validateSearch: (search): { new?: true } => (search.new === true ? { new: true } : {}),
  component: TypesPage,
});
