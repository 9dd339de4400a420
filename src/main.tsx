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
import { followOtherTabs } from './shell/session.ts';
import { listenToKeys } from './shell/shortcuts.ts';

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

listenToKeys();
followOtherTabs();
keepTrying(queryClient, () => router.invalidate());

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
