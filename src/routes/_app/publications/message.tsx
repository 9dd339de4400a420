import { createFileRoute } from '@tanstack/react-router';
import type { MessageView } from '../../../areas/publications/model/view.ts';
import { MessagePage } from '../../../areas/publications/pages/MessagePage.tsx';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/publications/message')({
  staticData: { title: 'Event' },
  validateSearch: passSearch<Partial<MessageView>>,
  component: MessagePage,
});
