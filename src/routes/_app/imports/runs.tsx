import { createFileRoute } from '@tanstack/react-router';
import { RunsPage } from '../../../areas/relationship-intelligence/pages/RunsPage.tsx';

export const Route = createFileRoute('/_app/imports/runs')({
  staticData: { title: 'Runs', isPartOfPage: true },
  component: RunsPage,
});
