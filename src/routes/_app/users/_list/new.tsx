import { createFileRoute } from '@tanstack/react-router';
import { NewUserPanel } from '../../../../areas/users/panels/NewUserPanel.tsx';
import { readSearchText } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/users/_list/new')({
  staticData: { title: 'New user', part: 'panel' },
  // Prefilled address when opened from a list of invited addresses.
  validateSearch: ({ email }: Record<string, unknown>): { email?: string | undefined } => ({
    email: readSearchText(email) || undefined,
  }),
  component: NewUserPanel,
});
