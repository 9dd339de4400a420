import './setup.ts';
import './ui/style/tokens.css';
import './ui/style/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session-query.ts';
import { syncSessionAcrossTabs, reloadWhenRestoredFromCache } from './app/session/session.ts';
import { startReconnecting } from './app/shell/reconnect.ts';
import { createConsoleRouter } from './router.tsx';
import { guardBeforeUnload } from './ui/dialog/unsaved-work.ts';
import { listenToKeys } from './ui/shortcuts/shortcuts.ts';

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

listenToKeys();
syncSessionAcrossTabs(queryClient);
reloadWhenRestoredFromCache();
guardBeforeUnload();
startReconnecting(queryClient, () => router.invalidate());

// Loads the session and the code of the initial route in parallel; the router alone would load them one after the other.
const [initialMatches] = router.getMatchedRoutes(router.latestLocation.pathname);
if (initialMatches.some(({ id }) => id === '/_app')) void queryClient.prefetchQuery(sessionQuery);
for (const route of initialMatches) router.loadRouteChunk(route)?.catch(() => undefined);

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
