import { createFileRoute } from '@tanstack/react-router';
import type { RelationshipsSearch } from '../../../areas/relationship-intelligence/pages/relationships-view.ts';
import { RelationshipsPage } from '../../../areas/relationship-intelligence/pages/RelationshipsPage.tsx';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/imports/relationships')({
  staticData: { title: 'Relationships', part: 'tab' },
  validateSearch: passSearch<RelationshipsSearch>,
  component: RelationshipsPage,
});
