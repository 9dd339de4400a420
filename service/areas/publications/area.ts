import { defineArea } from '../../kernel/area/area.ts';
import { createFillTask, wakeFillTaskOnCommits } from './fill-topics.ts';
import { publicationHandlers } from './handlers.ts';

export const publicationsArea = defineArea({
  name: 'publications',
  tables: {
    topic_definition: { backup: { leftOut: 'positions in the log of the installation' } },
    publication_consumer: { backup: { leftOut: 'positions in the log of the installation' } },
  },
  handlers: publicationHandlers,
  tasks({ db, services }) {
    wakeFillTaskOnCommits((name) => services.wakeTask(name));
    return [createFillTask({ db })];
  },
  auditActions: { topic: ['topic.create', 'topic.update', 'topic.delete', 'consumer.move'] },
});
