import { createFileRoute } from '@tanstack/react-router';
import type { TailView } from '../../../areas/publications/model/view.ts';
import { TailPage } from '../../../areas/publications/tail/TailPage.tsx';

export const Route = createFileRoute('/_app/publications/tail')({
  staticData: { title: 'Live tail' },
  validateSearch: (search: Partial<TailView>): Partial<TailView> => search,
  component: TailPage,
});
