import { createFileRoute } from '@tanstack/react-router';
import { NewKeyRoute } from '../../../../areas/agent/panels/NewKeyRoute.tsx';

export const Route = createFileRoute('/_app/agent/_keys/new')({
  staticData: { title: 'New agent key', part: 'panel' },
  component: NewKeyRoute,
});
