import { createFileRoute } from '@tanstack/react-router';
import { SchemaPage } from '../../../../areas/schema/pages/SchemaPage.tsx';
import type { Search } from '../../../../lib/search-params.ts';

interface SchemaSearch {
  q?: string | number;
  /** Opens the panel that edits the entry type. */
  edit?: true;
  /** Opens the panel that edits or creates a field. */
  field?: number | 'new';
}

export const Route = createFileRoute('/_app/entries/$type/schema')({
  staticData: { title: 'Schema' },
  validateSearch: ({ q, edit, field }: Search): SchemaSearch => ({
    ...((typeof q === 'string' || typeof q === 'number') && { q }),
    ...(edit === true
      ? { edit }
      : (field === 'new' || (typeof field === 'number' && Number.isInteger(field))) && { field }),
  }),
  component: SchemaPage,
});
