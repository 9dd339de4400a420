import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { ErrorPage, NotFoundPage } from './app/shell/ErrorPage.tsx';
import { PendingPage } from './app/shell/PendingPage.tsx';
import { routeTree } from './routeTree.gen.ts';

/** Creates the router over the file-based routes. */
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // The query cache holds the data, so loaders must run each time.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    // A minimum display time of the skeleton would only delay the rows.
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
