import { createFileRoute } from '@tanstack/react-router';
import { StatusPage } from '../../../areas/relationship-intelligence/pages/StatusPage.tsx';

export const Route = createFileRoute('/_app/imports/status')({
  staticData: { title: 'Import status', part: 'tab' },
  component: StatusPage,
});
