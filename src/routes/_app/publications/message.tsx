import { createFileRoute } from '@tanstack/react-router';
import type { MessageView } from '../../../areas/publications/model/view.ts';
import { MessagePage } from '../../../areas/publications/pages/MessagePage.tsx';

export const Route = createFileRoute('/_app/publications/message')({
  staticData: { title: 'Event' },
  validateSearch: (search: Partial<MessageView>): Partial<MessageView> => search,
  component: MessagePage,
});
