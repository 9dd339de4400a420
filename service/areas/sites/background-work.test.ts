import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TaskFailure } from '../../../contract/generated/types.gen.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import { as, createTestApp, makePerson, makeSite, onEachApp, services } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings/backgroundwork';

onEachApp((context) => {
  test('shows failed background work of the own site, and runs it again on request', async () => {
    const { db, database } = context();
    const [siteId, otherId] = [await makeSite(db), await makeSite(db)];
    const task = createItemTask(db, {
      name: 'some task',
      intervalMs: 60_000,
      listItems: async () => [siteId, otherId].map((id) => ({ siteId: id, item: `part of ${id}` })),
      runStep: () => Promise.reject(new Error('The disk is on fire')),
    });
    await task.run();
    const wokenTasks: string[] = [];
    const app = await createTestApp(database, {
      services: { ...services, wakeTask: (name) => void wokenTasks.push(name) },
    });
    const person = await makePerson(db, siteId);
    const api = as(app, person);
    const failure = { task: 'some task', item: `part of ${siteId}`, reason: 'The disk is on fire' };
    const { body } = await api.get<TaskFailure[]>(PATH);
    expect(body).toMatchObject([{ ...failure, attempts: 1 }]);
    expect(new Date(body[0]?.retryAt ?? 0).getTime()).toBeGreaterThan(
      new Date(body[0]?.failedAt ?? 0).getTime(),
    );
    await sql`update task_failure set attempts = 5, retry_at = null`.execute(db);
    expect((await api.get<TaskFailure[]>(PATH)).body).toMatchObject([
      { ...failure, attempts: 5, retryAt: null },
    ]);

    expect((await api.post(PATH)).status).toBe(204);
    expect(wokenTasks).toEqual(['some task']);
    await task.run();
    expect((await api.get<TaskFailure[]>(PATH)).body).toMatchObject([{ ...failure, attempts: 1 }]);
    const { rows } = await sql`select actor_id as actor, changes from audit_log
      where site_id = ${siteId} and action = 'site.retry-background-work'`.execute(db);
    expect(rows).toEqual([{ actor: person.userId, changes: { tasks: [null, ['some task']] } }]);
    // The other site was not retried.
    const { rows: others } = await sql`select attempts from task_failure where site_id = ${otherId}`.execute(
      db,
    );
    expect(others).toEqual([{ attempts: 5 }]);
    await app.close();
  });

  test('only users with Manage Settings see and retry it', async () => {
    const { app, db } = context();
    const api = as(
      app,
      await makePerson(db, await makeSite(db), { capabilities: ['Manage Schema', 'Read Data'] }),
    );
    expect([(await api.get(PATH)).status, (await api.post(PATH)).status]).toEqual([403, 403]);
  });
});
