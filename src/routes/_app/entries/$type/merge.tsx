import { createFileRoute } from '@tanstack/react-router';
import { parseMergeView, formatMergeView } from '../../../../areas/entries/merge/merge-view.ts';
import { MergePage } from '../../../../areas/entries/pages/MergePage.tsx';

export const Route = createFileRoute('/_app/entries/$type/merge')({
  staticData: { title: 'Merge' },
  validateSearch: (search) => formatMergeView(parseMergeView(search)),
  component: MergePage,
});
