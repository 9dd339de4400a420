import { createFileRoute } from '@tanstack/react-router';
import { LicenseTab } from '../../../../areas/users/pages/LicenseTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/license')({
  staticData: { title: 'License', part: 'tab' },
  component: LicenseTab,
});
