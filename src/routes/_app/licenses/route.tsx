import { createFileRoute } from '@tanstack/react-router';
import { LicensesFrame } from '../../../areas/licenses/pages/LicensesFrame.tsx';

export const Route = createFileRoute('/_app/licenses')({
  staticData: { title: 'Licenses' },
  component: LicensesFrame,
});
