import { createFileRoute } from '@tanstack/react-router';
import type { TailView } from '../../../areas/publications/model/view.ts';
import { TailPage } from '../../../areas/publications/tail/TailPage.tsx';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/publications/tail')({
  staticData: { title: 'Live tail' },
  validateSearch: passSearch<Partial<TailView>>,
  component: TailPage,
});
