import { createFileRoute } from '@tanstack/react-router';
import { LicenseTab } from '../-LicenseTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/license')({
  staticData: { title: 'License', part: true },
  component: LicenseTab,
});
