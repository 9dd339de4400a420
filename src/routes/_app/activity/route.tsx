import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/activity')({
  staticData: { title: 'Activity' },
});
