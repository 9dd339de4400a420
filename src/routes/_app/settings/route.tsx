import { createFileRoute } from '@tanstack/react-router';
import { SettingsPage } from '../../../areas/settings/pages/SettingsPage.tsx';

export const Route = createFileRoute('/_app/settings')({
  staticData: { title: 'Settings' },
  component: SettingsPage,
});
