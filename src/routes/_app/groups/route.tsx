import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/groups')({
  staticData: { title: 'Groups' },
});
