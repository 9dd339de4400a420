import { change, getActor } from '../../kernel/audit/change.ts';
import { type Handlers, noContent, ok } from '../../kernel/http/handler.ts';
import { listSiteFailures, retrySiteFailures } from '../../kernel/tasks/task-failures.store.ts';

export const backgroundWorkHandlers: Handlers<'listTaskFailures' | 'retryTaskFailures'> = {
  async listTaskFailures({ db, caller }) {
    const failures = await listSiteFailures(db, caller.siteId);
    return ok(
      failures.map(({ failedAt, retryAt, ...failure }) => ({
        ...failure,
        failedAt: failedAt.toISOString(),
        retryAt: retryAt?.toISOString() ?? null,
      })),
    );
  },

  async retryTaskFailures(call) {
    const { siteId } = call.caller;
    const tasks = await change(call.db, getActor(call), async (tx, record) => {
      const retried = await retrySiteFailures(tx, siteId);
      if (retried.length > 0)
        record({
          action: 'site.retry-background-work',
          subject: ['site', siteId],
          changes: { tasks: [null, retried] },
        });
      return retried;
    });
    for (const task of tasks) call.services.wakeTask(task);
    return noContent;
  },
};
