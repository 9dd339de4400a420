import { createFileRoute } from '@tanstack/react-router';
import { relationshipSettingsQuery } from '../../../areas/relationship-intelligence/pages/queries.ts';
import { RelationshipSettingsPage } from '../../../areas/relationship-intelligence/pages/SettingsPage.tsx';

export const Route = createFileRoute('/_app/imports/settings')({
  staticData: { title: 'Import settings', part: 'tab' },
  loader: ({ context: { queryClient } }) =>
    queryClient.fetchQuery({ ...relationshipSettingsQuery, staleTime: 0 }),
  component: RelationshipSettingsPage,
});
