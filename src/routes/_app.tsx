import { createFileRoute, redirect } from '@tanstack/react-router';
import { toServiceError } from '../api/errors.ts';
import { getSessionIdentity, sessionQuery } from '../api/session-query.ts';
import { applySessionIdentity } from '../api/session-state.ts';
import { StandaloneErrorPage } from '../app/shell/ErrorPage.tsx';
import { PendingFrame } from '../app/shell/PendingPage.tsx';
import { Shell } from '../app/shell/Shell.tsx';

export const Route = createFileRoute('/_app')({
  async beforeLoad({ context: { queryClient }, location }) {
    try {
      const session = await queryClient.ensureQueryData(sessionQuery);
      applySessionIdentity(getSessionIdentity(session));
      return { session };
    } catch (thrown) {
      if (toServiceError(thrown).status !== 401) throw thrown;
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
  component: Shell,
  pendingComponent: PendingFrame,
  errorComponent: StandaloneErrorPage,
});
