import { defineArea } from '../../kernel/area/area.ts';

export const publicationsArea = defineArea({
  name: 'publications',
  tables: {
    topic_definition: { backup: { leftOut: 'positions in the log of the installation' } },
    publication_consumer: { backup: { leftOut: 'positions in the log of the installation' } },
  },
  notBuilt: [
    'pollPublication',
    'acknowledgePublication',
    'listTopics',
    'streamTopic',
    'listTopicDefinitions',
    'createTopicDefinition',
    'getTopicDefinition',
    'updateTopicDefinition',
    'deleteTopicDefinition',
  ],
});
