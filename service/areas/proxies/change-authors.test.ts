/** Changes of a proxy: the principal is the author in the data, and audit row and event name both users (spec 6.5). */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { getActor, change } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { makePerson, makeSite, onEachApp } from '../../testing/site.ts';

onEachApp((context) => {
  test('names proxy and principal on the site and neither on another site', async () => {
    const { db } = context();
    const [siteId, elsewhere] = [await makeSite(db), await makeSite(db)];
    const [proxy, principal] = [await makePerson(db, siteId), await makePerson(db, siteId)];
    const caller: Caller = {
      ...proxy,
      acting: { principalId: principal.userId, principalEmail: principal.email, reportId: 1 },
      capabilities: new Set(),
      scopes: undefined,
      hasProofOfPresence: true,
      isFederated: false,
      pending: undefined,
      tokenHash: Buffer.alloc(0),
      expiresAt: new Date(),
    };
    const origin = { requestId: crypto.randomUUID(), ip: '127.0.0.1', userAgent: undefined };
    await change(db, getActor({ caller, origin }), async (_tx, record) => {
      for (const site of [siteId, elsewhere])
        record({
          siteId: site,
          action: 'user.update',
          subject: ['user', 7],
          changes: {},
          event: { topic: 'default-users', entityType: 'Users', kind: 'updated', entity: { id: 7 } },
        });
    });
    const { rows: audits } = await sql`select actor_id, proxy_id from audit_log
      where request_id = ${origin.requestId} order by site_id`.execute(db);
    const both = { actor_id: principal.userId, proxy_id: proxy.userId };
    expect(audits).toEqual([both, both]);
    const { rows: events } = await sql<{ payload: object }>`select payload from topic_event
      where site_id in (${siteId}, ${elsewhere}) order by site_id`.execute(db);
    const [here, there] = events.map(({ payload }) => payload);
    expect(here).toMatchObject({
      modifiedById: principal.userId,
      modifiedByUserEmail: principal.email,
      proxyUserId: proxy.userId,
      proxyUserEmail: proxy.email,
    });
    expect(there).toMatchObject({ modifiedById: null, modifiedByUserEmail: null });
    expect(Object.keys(there ?? {})).not.toContain('proxyUserId');
  });
});
