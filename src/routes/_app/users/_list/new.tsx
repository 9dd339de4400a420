import { createFileRoute } from '@tanstack/react-router';
import { NewUserPanel } from '../-NewUserPanel.tsx';

export const Route = createFileRoute('/_app/users/_list/new')({
  staticData: { title: 'New user', part: true },
  component: NewUserPanel,
});
