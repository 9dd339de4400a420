import type { ProxyPair } from '../../../contract/generated/types.gen.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { invalid } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { assign, placesOf, split, type Wish } from './assign.ts';
import * as store from './assignments.store.ts';
import { listProxies } from './list.store.ts';

/** One request changes at most this many assignments, so that it stays one short transaction. */
const MOST_AT_ONCE = 1000;

export const assignmentHandlers: Handlers<'listProxies' | 'updateProxies' | 'changeProxies'> = {
  async listProxies({ db, caller, query }) {
    const { proxyQuery, userQuery, searchByName = true, proxyUserId, userId } = query;
    const filter = { proxyQuery, userQuery, searchByName, proxyUserId, userId };
    return ok(await listProxies(db, caller.siteId, filter, pageOf(query)));
  },

  async updateProxies(call) {
    const { caller, body } = call;
    const { proxyUserId } = body;
    const wanted = (body.users ?? []).map((userId, index): Wish => ({
      proxyUserId,
      userId,
      proxyPath: 'proxyUserId',
      userPath: `users.${index}`,
    }));
    await change(
      call.db,
      actorOf(call),
      async (tx, record) => {
        const before = await store.assignmentsOf(tx, caller.siteId, proxyUserId);
        const added = split(wanted, before).beyond;
        const removed = split(before, wanted).beyond;
        const named = new Map([['proxyUserId', proxyUserId], ...placesOf(wanted)]);
        await assign(tx, caller, { added, removed, named }, record);
      },
      { alone: true },
    );
    call.services.wakeMail();
    return ok(undefined);
  },

  async changeProxies(call) {
    const { caller, body } = call;
    const [add, remove] = [wishes('add', body.add), wishes('remove', body.remove)];
    if (add.length + remove.length > MOST_AT_ONCE)
      throw invalid([{ path: 'body', message: `must change at most ${MOST_AT_ONCE} assignments` }]);
    const both = split(add, remove).among;
    if (both.length > 0)
      throw invalid(
        both.map(({ userPath }) => ({ path: userPath, message: 'is added and removed at once' })),
      );
    await change(
      call.db,
      actorOf(call),
      async (tx, record) => {
        const named = placesOf([...add, ...remove]);
        const before = await store.assignedAmong(tx, caller.siteId, [...add, ...remove]);
        const added = split(add, before).beyond;
        const removed = split(remove, before).among;
        await assign(tx, caller, { added, removed, named }, record);
      },
      { alone: true },
    );
    call.services.wakeMail();
    return done;
  },
};

const wishes = (list: 'add' | 'remove', pairs: readonly ProxyPair[] = []): Wish[] =>
  pairs.map((pair, index) => ({
    ...pair,
    proxyPath: `${list}.${index}.proxyUserId`,
    userPath: `${list}.${index}.userId`,
  }));
