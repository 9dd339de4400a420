import type { ProxyPair, ActingStep } from '../../../contract/generated/types.gen.ts';
import { badRequest, notFound } from '../../kernel/api-error.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage, UNVERSIONED_ETAG } from '../../kernel/http/parameters.ts';
import * as store from './assignments.store.ts';
import {
  changeAssignments,
  mapUserIdsByPath,
  partitionAssignments,
  type RequestedAssignment,
} from './assignments.ts';
import * as reportStore from './reports.store.ts';

/** Maximum number of assignments per request; keeps the transaction short. */
const MAX_CHANGES_PER_REQUEST = 1000;

export const assignmentHandlers: Handlers<'listProxies' | 'updateProxies' | 'changeProxies'> = {
  async listProxies({ db, caller, query }) {
    const { proxyQuery, userQuery, searchByName = true, proxyUserId, userId } = query;
    const filter = { proxyQuery, userQuery, searchByName, proxyUserId, userId };
    return ok(await store.listProxies(db, caller.siteId, filter, parsePage(query)));
  },

  async updateProxies(call) {
    const { caller, body } = call;
    const { proxyUserId } = body;
    const requested = (body.users ?? []).map((userId, index): RequestedAssignment => ({
      proxyUserId,
      userId,
      proxyPath: 'proxyUserId',
      userPath: `users.${index}`,
    }));
    await change(
      call.db,
      getActor(call),
      async (tx, record) => {
        const before = await store.listAssignmentsOfProxy(tx, caller.siteId, proxyUserId);
        const added = partitionAssignments(requested, before).absent;
        const removed = partitionAssignments(before, requested).absent;
        const userIdsByPath = new Map([['proxyUserId', proxyUserId], ...mapUserIdsByPath(requested)]);
        await changeAssignments(tx, caller, { added, removed, userIdsByPath }, record);
      },
      { lockSite: true },
    );
    return ok(undefined);
  },

  async changeProxies(call) {
    const { caller, body } = call;
    const [add, remove] = [
      toRequestedAssignments('add', body.add),
      toRequestedAssignments('remove', body.remove),
    ];
    if (add.length + remove.length > MAX_CHANGES_PER_REQUEST)
      throw badRequest([
        { path: 'body', message: `must change at most ${MAX_CHANGES_PER_REQUEST} assignments` },
      ]);
    const contradictory = partitionAssignments(add, remove).present;
    if (contradictory.length > 0)
      throw badRequest(
        contradictory.map(({ userPath }) => ({ path: userPath, message: 'is both added and removed' })),
      );
    await change(
      call.db,
      getActor(call),
      async (tx, record) => {
        const userIdsByPath = mapUserIdsByPath([...add, ...remove]);
        const before = await store.listExistingAssignments(tx, caller.siteId, [...add, ...remove]);
        const added = partitionAssignments(add, before).absent;
        const removed = partitionAssignments(remove, before).present;
        await changeAssignments(tx, caller, { added, removed, userIdsByPath }, record);
      },
      { lockSite: true },
    );
    return noContent;
  },
};

const toRequestedAssignments = (
  list: 'add' | 'remove',
  pairs: readonly ProxyPair[] = [],
): RequestedAssignment[] =>
  pairs.map((pair, index) => ({
    ...pair,
    proxyPath: `${list}.${index}.proxyUserId`,
    userPath: `${list}.${index}.userId`,
  }));

const toActingStep = ({ at, stepId: _stepId, ...entry }: reportStore.StoredEntry): ActingStep => ({
  date: at.toISOString(),
  ...entry,
});

export const reportHandlers: Handlers<'listActingReports' | 'readActingReport'> = {
  async listActingReports({ db, caller, query }) {
    return ok(await reportStore.listReports(db, caller.siteId, query.userId, parsePage(query)));
  },

  async readActingReport({ db, caller, params, query }) {
    const report = await reportStore.getReport(db, caller.siteId, params.id);
    if (!report) throw notFound(`Report ${params.id}`);
    const entries = await reportStore.listEntries(db, caller.siteId, report.id, parsePage(query));
    return ok({ report, steps: entries.map(toActingStep) }, { etag: UNVERSIONED_ETAG });
  },
};
