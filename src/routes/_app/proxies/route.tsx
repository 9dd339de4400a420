import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/proxies')({
  staticData: { title: 'Proxies' },
});
