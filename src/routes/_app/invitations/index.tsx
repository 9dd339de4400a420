import { createFileRoute } from '@tanstack/react-router';
import { CAPABILITIES } from '../../../api/capabilities.gen.ts';
import { hasAnyCapability } from '../../../api/session.ts';
import { invitationsQuery } from '../../../areas/invitations/model/query.ts';
import type { InvitationsSearch } from '../../../areas/invitations/model/view.ts';
import { InvitationsPage } from '../../../areas/invitations/pages/InvitationsPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/invitations/')({
  validateSearch: passSearch<InvitationsSearch>,
  loader: ({ context: { queryClient, session } }) => {
    // Users who may only invite can use the page, but the call for the list would fail.
    if (!hasAnyCapability(session, CAPABILITIES.listInvitations)) return;
    void queryClient.prefetchInfiniteQuery(invitationsQuery);
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: InvitationsPage,
});
