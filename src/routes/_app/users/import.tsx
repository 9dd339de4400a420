import { createFileRoute } from '@tanstack/react-router';
import { Page } from '../../../ui/layout/Page.tsx';

export const Route = createFileRoute('/_app/users/import')({
  staticData: { title: 'Import users' },
  component: () => <Page title="Import users">{null}</Page>,
});
