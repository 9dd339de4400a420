import { Radio } from 'lucide-react';
import { TOPIC_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const publicationsArea = defineArea({
  name: 'publications',
  navigation: [
    {
      group: 'Connections',
      path: '/publications',
      name: 'Publications',
      icon: Radio,
      key: 'p',
      needs: 'listTopics',
      notBuilt: {
        purpose:
          'Programs can read change events, define topics and add destinations; pages are not available yet.',
        operations: [
          'POST /api/rest/v1/publication/poll',
          'POST /api/rest/v1/publication/acknowledge',
          'GET /api/rest/v1/publication/topics',
        ],
      },
    },
  ],
  invalidations: {
    acknowledgePublication: [],
    acknowledgeEnvironment: [],
    createTopicDefinition: TOPIC_READS,
    updateTopicDefinition: TOPIC_READS,
    deleteTopicDefinition: TOPIC_READS,
    createDestination: ['listDestinations'],
    updateDestination: ['listDestinations', 'getDestination'],
    deleteDestination: ['listDestinations', 'getDestination'],
    resendEvents: ['listDestinations', 'getDestination', 'listDeliveryAttempts'],
    moveConsumer: ['listConsumers'],
    setSubscriberLimits: ['getSubscriberLimits'],
  },
});
