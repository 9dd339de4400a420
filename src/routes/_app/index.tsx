import { createFileRoute } from '@tanstack/react-router';
import { HomePage } from '../../areas/overview/pages/HomePage.tsx';

export const Route = createFileRoute('/_app/')({
  staticData: { title: 'Overview' },
  component: HomePage,
});
