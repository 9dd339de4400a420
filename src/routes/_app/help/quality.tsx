import { createFileRoute } from '@tanstack/react-router';
import { QualityPage } from '../../../areas/help/pages/QualityPage.tsx';

export const Route = createFileRoute('/_app/help/quality')({
  staticData: { title: 'Quality' },
  component: QualityPage,
});
