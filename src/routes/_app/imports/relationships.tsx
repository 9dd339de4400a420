import { createFileRoute } from '@tanstack/react-router';
import {
  parseRelationshipsView,
  serializeRelationshipsView,
} from '../../../areas/relationship-intelligence/pages/relationships-view.ts';
import { RelationshipsPage } from '../../../areas/relationship-intelligence/pages/RelationshipsPage.tsx';

export const Route = createFileRoute('/_app/imports/relationships')({
  staticData: { title: 'Relationships', isPartOfPage: true },
  validateSearch: (search) => serializeRelationshipsView(parseRelationshipsView(search)),
  component: RelationshipsPage,
});
