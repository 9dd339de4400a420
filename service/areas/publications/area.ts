import { defineArea } from '../../kernel/area/area.ts';

export const publicationsArea = defineArea({
  name: 'publications',
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
