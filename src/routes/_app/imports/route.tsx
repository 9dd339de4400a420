import { createFileRoute } from '@tanstack/react-router';
import { ImportsFrame } from '../../../areas/relationship-intelligence/pages/ImportsFrame.tsx';

export const Route = createFileRoute('/_app/imports')({
  staticData: { title: 'Imports' },
  component: ImportsFrame,
});
