import { createFileRoute } from '@tanstack/react-router';
import { written } from '../../../../lib/address.ts';
import { NewUserPanel } from '../../../../areas/users/panels/NewUserPanel.tsx';

export const Route = createFileRoute('/_app/users/_list/new')({
  staticData: { title: 'New user', part: true },
  // Whoever comes from a list of addresses brings one of them.
  validateSearch: ({ email }: Record<string, unknown>): { email?: string | undefined } => ({
    email: written(email) || undefined,
  }),
  component: NewUserPanel,
});
