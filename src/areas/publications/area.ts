import { Plus, Radio } from 'lucide-react';
import { TOPIC_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';
import { ChangesHost } from './ChangesHost.tsx';

export const publicationsArea = defineArea({
  name: 'publications',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'Connections',
      path: '/publications',
      name: 'Publications',
      icon: Radio,
      key: 'p',
      needs: 'listTopics',
    },
  ],
  commands: [
    { label: 'Live tail', icon: Radio, to: '/publications/tail', needs: 'streamTopic' },
    { label: 'New topic', icon: Plus, to: '/publications/topics/new', needs: 'createTopicDefinition' },
  ],
  invalidations: {
    acknowledgePublication: [],
    acknowledgeEnvironment: [],
    createTopicDefinition: TOPIC_READS,
    updateTopicDefinition: [...TOPIC_READS, 'getTopicSchema'],
    deleteTopicDefinition: [...TOPIC_READS, 'listConsumers', 'listDestinations'],
    createDestination: ['listDestinations'],
    updateDestination: ['listDestinations', 'getDestination'],
    deleteDestination: ['listDestinations'],
    resendEvents: ['listDestinations', 'getDestination', 'listDeliveryAttempts'],
    moveConsumer: ['listConsumers'],
    setSubscriberLimits: ['getSubscriberLimits'],
  },
  Host: ChangesHost,
});
