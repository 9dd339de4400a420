import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { StandaloneErrorPage } from '../app/shell/ErrorPage.tsx';
import { Screen } from '../app/shell/Screen.tsx';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  errorComponent: StandaloneErrorPage,
  component: () => (
    <Screen>
      <Outlet />
    </Screen>
  ),
});
