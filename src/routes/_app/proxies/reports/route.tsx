import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/proxies/reports')({
  staticData: { title: 'Acting reports' },
});
