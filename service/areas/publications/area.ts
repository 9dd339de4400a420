import { defineArea } from '../../kernel/area/area.ts';
import { createAttemptRetentionTask, createDeliveryTask, DELIVERY_TASKS } from './destinations/deliver.ts';
import { destinationHandlers } from './destinations/destinations.ts';
import { createFillTask, wakeFillTaskOnCommits } from './fill-topics.ts';
import { publicationHandlers } from './handlers.ts';
import { refuseToLimitedKeys, subscriberHandlers } from './subscribers.ts';
import { topicEventHandlers } from './topic-events.ts';

export const publicationsArea = defineArea({
  name: 'publications',
  tables: {
    topic_definition: { backup: { leftOut: 'positions in the log of the installation' } },
    topic_definition_history: { backup: { leftOut: 'describes the log of the installation' } },
    publication_destination: { backup: { leftOut: 'secrets' } },
    delivery_attempt: { backup: { leftOut: 'log of the installation' }, retention: '9 days' },
    publication_subscriber: { backup: { leftOut: 'rights of the API keys of the installation' } },
    publication_consumer: { backup: { leftOut: 'positions in the log of the installation' } },
  },
  handlers: refuseToLimitedKeys({
    ...publicationHandlers,
    ...topicEventHandlers,
    ...destinationHandlers,
    ...subscriberHandlers,
  }),
  tasks({ db, services }) {
    wakeFillTaskOnCommits((name) => services.wakeTask(name));
    return [
      createFillTask({ db }),
      ...DELIVERY_TASKS.map((name) => createDeliveryTask({ db, services }, name)),
      createAttemptRetentionTask({ db }),
    ];
  },
  auditActions: {
    destination: ['destination.create', 'destination.update', 'destination.delete', 'destination.resend'],
    topic: ['topic.create', 'topic.update', 'topic.delete', 'consumer.move'],
    key: ['subscriber.limit'],
  },
});
