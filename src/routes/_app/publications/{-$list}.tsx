import { createFileRoute, notFound } from '@tanstack/react-router';
import type { ConsumersView } from '../../../areas/publications/model/view.ts';
import { PublicationsPage } from '../../../areas/publications/pages/PublicationsPage.tsx';
import { passSearch } from '../../../lib/search-params.ts';

// One route for the three lists, which share their frame.
export const Route = createFileRoute('/_app/publications/{-$list}')({
  params: {
    parse: ({ list }) => {
      if (list !== undefined && list !== 'consumers' && list !== 'destinations') throw notFound();
      return { list };
    },
  },
  validateSearch: passSearch<Partial<ConsumersView>>,
  component: PublicationsPage,
});
