import { createRouter } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { routeTree } from './routeTree.gen.ts';
import { ErrorPage, NotFoundPage } from './app/shell/ErrorPage.tsx';
import { PendingPage } from './app/shell/PendingPage.tsx';

/** The router over the file-based routes. */
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // What a loader needs is kept by the query cache; the router must ask it each time.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    // Rows take the place of their skeleton: to keep that on the screen would only keep them away.
    defaultPendingMinMs: 0,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    scrollToTopSelectors: ['#main'],
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
