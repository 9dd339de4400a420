import { createFileRoute } from '@tanstack/react-router';
import { HelpPage } from '../../../areas/help/pages/HelpPage.tsx';

export const Route = createFileRoute('/_app/help/{-$topic}')({
  staticData: { title: 'Documentation' },
  component: HelpPage,
});
