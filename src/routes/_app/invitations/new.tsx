import { createFileRoute } from '@tanstack/react-router';
import { InvitePage } from '../../../areas/invitations/pages/InvitePage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';
import { readSearchText } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/invitations/new')({
  staticData: { title: 'Invite people' },
  validateSearch: ({ email }: Record<string, unknown>): { email?: string | undefined } => ({
    email: readSearchText(email) || undefined,
  }),
  loader: ({ context: { queryClient } }) => {
    // Provides the group names; typing does not wait for it.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: InvitePage,
});
