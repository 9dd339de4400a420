import { createFileRoute } from '@tanstack/react-router';
import { AgentSettingsPage } from '../../../areas/agent/pages/SettingsPage.tsx';

export const Route = createFileRoute('/_app/agent/settings')({
  staticData: { title: 'Agent server settings', part: 'tab' },
  component: AgentSettingsPage,
});
