import { createFileRoute } from '@tanstack/react-router';
import { TypesPage } from '../../../areas/schema/pages/TypesPage.tsx';
import type { Search } from '../../../lib/search-params.ts';

interface TypesSearch {
  q?: string | number;
  /** Opens the panel that creates an entry type. */
  new?: true;
}

export const Route = createFileRoute('/_app/entries/')({
  validateSearch: ({ q, new: isNew }: Search): TypesSearch => ({
    ...((typeof q === 'string' || typeof q === 'number') && { q }),
    ...(isNew === true && { new: true }),
  }),
  component: TypesPage,
});
