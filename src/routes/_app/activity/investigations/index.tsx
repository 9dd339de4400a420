import { createFileRoute } from '@tanstack/react-router';
import { InvestigationsPage } from '../../../../areas/activity/investigations/InvestigationsPage.tsx';

export const Route = createFileRoute('/_app/activity/investigations/')({
  component: InvestigationsPage,
});
