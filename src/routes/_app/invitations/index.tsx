import { createFileRoute } from '@tanstack/react-router';
import { CAPABILITIES } from '../../../api/capabilities.gen.ts';
import { can } from '../../../api/session.ts';
import { directoryQuery } from '../../../directory/directory.ts';
import { InvitationsPage } from '../../../areas/invitations/pages/InvitationsPage.tsx';
import { invitationsQuery } from '../../../areas/invitations/model/query.ts';
import { readView, writeView } from '../../../areas/invitations/model/view.ts';

export const Route = createFileRoute('/_app/invitations/')({
  validateSearch: (search) => writeView(readView(search)),
  loader: ({ context: { queryClient, session } }) => {
    // Whoever may only add people has a use for the page, but none for a call that is refused.
    if (!can(session, CAPABILITIES.listInvitations)) return;
    void queryClient.prefetchInfiniteQuery(invitationsQuery);
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: InvitationsPage,
});
