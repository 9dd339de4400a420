import { createFileRoute } from '@tanstack/react-router';
import { SchemaPage } from '../../../../areas/schema/pages/SchemaPage.tsx';

interface Panel {
  /** Opens the panel that edits the entry type. */
  edit?: true;
  /** Opens the panel that edits or creates a field. */
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
