import './setup.ts';
import './ui/tokens.css';
import './ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { createConsoleRouter } from './router.tsx';
import { keepTrying } from './shell/reconnect.ts';
import { followOtherTabs, forgetOnLeaving } from './shell/session.ts';
import { listenToKeys } from './shell/shortcuts.ts';
import { guardWork } from './shell/unsaved.ts';
import { fetchAhead, whenIdle } from './ui/later.ts';

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

listenToKeys();
followOtherTabs(queryClient);
forgetOnLeaving();
guardWork();
keepTrying(queryClient, () => router.invalidate());

// Code fetched only when somebody opens a page or a menu would be missing while the service is away, and the page
// with it. Once the first page stands and its rows are on the way, the rest follows.
const stop = router.subscribe('onResolved', () => {
  stop();
  whenIdle(() => {
    fetchAhead();
    for (const route of Object.values(router.routesById)) void router.loadRouteChunk(route);
  });
});

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
