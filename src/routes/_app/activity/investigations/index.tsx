import { createFileRoute } from '@tanstack/react-router';
import { InvestigationsPage } from '../-InvestigationsPage.tsx';

export const Route = createFileRoute('/_app/activity/investigations/')({
  component: InvestigationsPage,
});
