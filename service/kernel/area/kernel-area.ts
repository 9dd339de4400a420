import { deleteExpiredEventsTask } from '../outbox/delete-expired-events.ts';
import { defineArea } from './area.ts';

/** The tables and tasks of the kernel: sessions, links, audit log, outbox, mail, limits. */
export const kernelArea = defineArea({
  name: 'kernel',
  tasks: (context) => [deleteExpiredEventsTask(context)],
  tables: {
    session: { backup: { leftOut: 'secrets' } },
    one_time_link: { backup: { leftOut: 'secrets' } },
    audit_log: { backup: { leftOut: 'log of the installation' } },
    topic: { backup: { leftOut: 'log of the installation' } },
    topic_event: { backup: { leftOut: 'log of the installation' }, retention: '9 days' },
    mail: { backup: { leftOut: 'log of the installation' } },
    task_failure: { backup: { leftOut: 'log of the installation' } },
    throttle: { backup: { leftOut: 'counters of the installation' } },
  },
});
