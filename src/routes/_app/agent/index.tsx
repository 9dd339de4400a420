import { createFileRoute } from '@tanstack/react-router';
import { KeysPage } from '../../../areas/agent/pages/KeysPage.tsx';

export const Route = createFileRoute('/_app/agent/')({
  staticData: { title: 'Keys', isPartOfPage: true },
  validateSearch: (search): { new?: true } => (search.new === true ? { new: true } : {}),
  component: KeysPage,
});
