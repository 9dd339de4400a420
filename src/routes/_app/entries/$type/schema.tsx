import { createFileRoute } from '@tanstack/react-router';
import { SchemaPage } from '../../../../areas/schema/SchemaPage.tsx';

interface Panel {
  /** The type itself is being changed. */
  edit?: true;
  /** A field is being changed, or made. */
  field?: number | 'new';
}

export const Route = createFileRoute('/_app/entries/$type/schema')({
  staticData: { title: 'Schema' },
  validateSearch: ({ edit, field }): Panel => {
    if (edit === true) return { edit };
    return field === 'new' || (typeof field === 'number' && Number.isInteger(field)) ? { field } : {};
  },
  component: SchemaPage,
});
