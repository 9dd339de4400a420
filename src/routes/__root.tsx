import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { StandaloneErrorPage } from '../app/shell/ErrorPage.tsx';
import { Toaster } from '../ui/feedback/Toaster.tsx';
import { LiveRegion } from '../ui/LiveRegion.tsx';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  errorComponent: StandaloneErrorPage,
  component: () => (
    <>
      <Outlet />
      <Toaster />
      <LiveRegion />
    </>
  ),
});
