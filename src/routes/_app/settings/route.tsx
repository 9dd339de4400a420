import { createFileRoute } from '@tanstack/react-router';
import { SettingsPage } from './-SettingsPage.tsx';

export const Route = createFileRoute('/_app/settings')({
  staticData: { title: 'Settings' },
  component: SettingsPage,
});
