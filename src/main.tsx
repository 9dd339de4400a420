import './setup.ts';
import './ui/tokens.css';
import './ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient, whenQuiet } from './api/query-client.ts';
import { sessionQuery } from './api/session-query.ts';
import { createConsoleRouter } from './router.tsx';
import { keepTrying } from './app/shell/reconnect.ts';
import { followOtherTabs, forgetOnLeaving } from './app/session/session.ts';
import { listenToKeys } from './app/shell/shortcuts.ts';
import { guardWork } from './ui/form/unsaved.ts';
import { fetchAhead } from './ui/later.ts';

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

listenToKeys();
followOtherTabs(queryClient);
forgetOnLeaving();
guardWork();
keepTrying(queryClient, () => router.invalidate());

// Who works here and the code of the address are asked for at once: the router goes from one to the other.
const [onTheWay] = router.getMatchedRoutes(router.latestLocation.pathname);
if (onTheWay.some(({ id }) => id === '/_app')) void queryClient.prefetchQuery(sessionQuery);
for (const route of onTheWay) router.loadRouteChunk(route)?.catch(() => undefined);

// Code fetched only when somebody opens a page or a menu would be missing while the service is away, and the page
// with it. Once the first page stands and nothing is being read, the rest follows.
async function fetchPages(): Promise<void> {
  for (const route of Object.values(router.routesById))
    // oxlint-disable-next-line no-await-in-loop -- a browser has six calls at once, and somebody may want one of them
    await router.loadRouteChunk(route)?.catch(() => undefined);
}
const stop = router.subscribe('onResolved', () => {
  stop();
  whenQuiet(queryClient, () => {
    fetchAhead();
    void fetchPages();
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
