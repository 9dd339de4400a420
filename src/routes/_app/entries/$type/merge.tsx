import { createFileRoute } from '@tanstack/react-router';
import { readMergeView, writeMergeView } from '../../../../entries/merge/merge-view.ts';
import { MergePage } from '../-MergePage.tsx';

export const Route = createFileRoute('/_app/entries/$type/merge')({
  staticData: { title: 'Merge' },
  validateSearch: (search) => writeMergeView(readMergeView(search)),
  component: MergePage,
});
