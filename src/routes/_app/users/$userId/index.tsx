import { createFileRoute } from '@tanstack/react-router';
import { ProfileTab } from '../../../../areas/users/pages/ProfileTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/')({
  staticData: { title: 'Profile', isPartOfPage: true },
  validateSearch: (search): { edit?: true } => (search.edit === true ? { edit: true } : {}),
  component: ProfileTab,
});
