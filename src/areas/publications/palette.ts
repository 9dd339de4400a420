import { Radio, Send, Users } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { topicsQuery } from './model/queries.ts';

const MAX_TOPICS = 6;
const TOPIC_ID = /^(?:topic[\s:#]*)?([1-9]\d{0,9})$/i;

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Destinations',
      hint: 'Publications',
      icon: Send,
      href: '/publications/destinations',
      needs: 'listDestinations',
    },
    {
      label: 'Consumers',
      hint: 'Publications',
      icon: Users,
      href: '/publications/consumers',
      needs: 'listConsumers',
    },
  ],
  sources: [
    {
      name: 'Topics',
      needs: 'listTopics',
      async find(typed, { client, navigate }) {
        const topics = (await client.ensureQueryData(topicsQuery)).map((topic) => ({
          ...topic,
          label: topic.name,
        }));
        const id = Number(TOPIC_ID.exec(typed)?.[1]);
        const named = rankByLabel(topics, typed);
        const found = [...topics.filter((topic) => topic.id === id && !named.includes(topic)), ...named];
        return {
          items: found.slice(0, MAX_TOPICS).map((topic) => ({
            id: String(topic.id),
            label: topic.name,
            hint: `Topic ${topic.id}`,
            icon: Radio,
            run: () => void navigate({ to: '/publications/topics/$topicId', params: { topicId: topic.id } }),
          })),
          total: found.length,
        };
      },
    },
  ],
};

export default palette;
