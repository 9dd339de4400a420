import { createFileRoute } from '@tanstack/react-router';
import { ConnectPage } from '../../areas/agent/pages/ConnectPage.tsx';

export const Route = createFileRoute('/_app/connect-agent')({
  staticData: { title: 'Connect a client' },
  validateSearch: ({ request }: Record<string, unknown>): { request: string } => ({
    request: typeof request === 'string' ? request : '',
  }),
  component: ConnectPage,
});
