import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../directory/directory.ts';
import { written } from '../../../lib/address.ts';
import { InvitePage } from '../../../areas/invitations/pages/InvitePage.tsx';

export const Route = createFileRoute('/_app/invitations/new')({
  staticData: { title: 'Invite people' },
  validateSearch: ({ email }: Record<string, unknown>): { email?: string | undefined } => ({
    email: written(email) || undefined,
  }),
  loader: ({ context: { queryClient } }) => {
    // The names of groups; typing need not wait for them.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: InvitePage,
});
