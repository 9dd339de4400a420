import { createFileRoute } from '@tanstack/react-router';
import { SavePanel } from '../-SavePanel.tsx';

export const Route = createFileRoute('/_app/activity/_report/save')({
  staticData: { title: 'Save investigation', part: true },
  component: SavePanel,
});
