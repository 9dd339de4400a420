import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { DoorErrorPage } from '../app/shell/ErrorPage.tsx';
import { LiveRegion } from '../ui/feedback/LiveRegion.tsx';
import { Toaster } from '../ui/feedback/Toaster.tsx';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  errorComponent: DoorErrorPage,
  component: () => (
    <>
      <Outlet />
      <Toaster />
      <LiveRegion />
    </>
  ),
});
