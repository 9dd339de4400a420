import { createFileRoute } from '@tanstack/react-router';
import { KeysPage } from '../../../../areas/agent/pages/KeysPage.tsx';

export const Route = createFileRoute('/_app/agent/_keys')({
  component: KeysPage,
});
