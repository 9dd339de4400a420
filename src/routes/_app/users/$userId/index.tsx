import { createFileRoute } from '@tanstack/react-router';
import { ProfileTab } from '../-ProfileTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/')({
  staticData: { title: 'Profile', part: true },
  // Only says how the page is entered; what is being edited is not an address.
  validateSearch: (search): { edit?: true } => (search.edit === true ? { edit: true } : {}),
  component: ProfileTab,
});
