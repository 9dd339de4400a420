import { createFileRoute } from '@tanstack/react-router';
import type { MergeSearch } from '../../../../areas/entries/merge/merge-view.ts';
import { MergePage } from '../../../../areas/entries/pages/MergePage.tsx';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/entries/$type/merge')({
  staticData: { title: 'Merge' },
  validateSearch: passSearch<MergeSearch>,
  component: MergePage,
});
