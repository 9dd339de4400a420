import { createFileRoute, redirect } from '@tanstack/react-router';
import { toServiceError } from '../api/errors.ts';
import { sessionArrived } from '../api/session-gate.ts';
import { holderOf, sessionQuery } from '../api/session-query.ts';
import { DoorErrorPage } from '../app/shell/ErrorPage.tsx';
import { PendingShell } from '../app/shell/PendingPage.tsx';
import { Shell } from '../app/shell/Shell.tsx';
import { usePeopleSource } from '../areas/users/palette-source.ts';

export const Route = createFileRoute('/_app')({
  async beforeLoad({ context: { queryClient }, location }) {
    try {
      const session = await queryClient.ensureQueryData(sessionQuery);
      sessionArrived(holderOf(session));
      return { session };
    } catch (thrown) {
      if (toServiceError(thrown).status !== 401) throw thrown;
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
  component: SignedIn,
  pendingComponent: PendingShell,
  errorComponent: DoorErrorPage,
});

function SignedIn() {
  usePeopleSource();
  return <Shell />;
}
