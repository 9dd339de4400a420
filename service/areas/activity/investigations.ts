import { createHash } from 'node:crypto';
import type { InvestigationInfo, UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { authorOf } from '../../kernel/auth/caller.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { invalid, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import * as store from './investigations.store.ts';
import { readFilter } from './rules.ts';
import { shown } from './shown.ts';
import { inSnapshot, readReport } from './store.ts';

/** So many rows are kept, the newest (contract, createInvestigation). */
const FROZEN = { offset: 0, limit: 1000 };

const info = (stored: store.StoredInvestigation): InvestigationInfo => ({
  ...stored,
  createdDate: stored.createdDate.toISOString(),
  modifiedDate: stored.modifiedDate.toISOString(),
});

function checkName(name: string | undefined): void {
  if (name?.trim() === '') throw invalid([{ path: 'name', message: 'must not be empty' }]);
}

const absent = (id: number) => notFound(`Investigation ${id}`);

type Operations =
  | 'listInvestigations'
  | 'createInvestigation'
  | 'readInvestigation'
  | 'updateInvestigation'
  | 'deleteInvestigation';

export const investigationHandlers: Handlers<Operations> = {
  async listInvestigations({ db, caller, query }) {
    return ok((await store.listInvestigations(db, caller.siteId, pageOf(query))).map(info));
  },

  async createInvestigation(call) {
    const { db, caller, body } = call;
    checkName(body.name);
    const filter = readFilter(body.query, { now: Date.now(), at: 'query.' });
    const { total, rows } = await inSnapshot(db, (tx) => readReport(tx, caller.siteId, filter, FROZEN));
    const frozen = JSON.stringify(rows.map(shown));
    const kept = {
      name: body.name,
      notes: body.notes ?? '',
      query: body.query,
      createdBy: authorOf(caller).userId,
      totalRecords: total,
      frozenRows: rows.length,
      sha256: createHash('sha256').update(frozen).digest('hex'),
    };
    const created = await change(db, actorOf(call), async (tx, record) => {
      const id = await store.insertInvestigation(tx, caller.siteId, { ...kept, rows: frozen });
      const { createdBy: _by, ...told } = kept;
      record({
        action: 'investigation.create',
        subject: ['investigation', id],
        changes: differences(undefined, told),
      });
      return store.getInvestigation(tx, caller.siteId, id);
    });
    if (!created) throw new Error('An inserted investigation is there');
    return ok(info(created));
  },

  async readInvestigation({ db, caller, params }) {
    const found = await store.getInvestigation(db, caller.siteId, params.id);
    if (!found) throw absent(params.id);
    const rows = JSON.parse(await store.getFrozen(db, caller.siteId, params.id)) as UserActivityEntry[];
    return ok({ info: info(found), rows });
  },

  async updateInvestigation(call) {
    const { db, caller, params, body } = call;
    checkName(body.name);
    const changed = await change(db, actorOf(call), async (tx, record) => {
      const before = await store.getInvestigation(tx, caller.siteId, params.id, { lock: true });
      if (!before) throw absent(params.id);
      const after = { ...before, name: body.name ?? before.name, notes: body.notes ?? before.notes };
      const changes = differences(before, after);
      if (Object.keys(changes).length === 0) return before;
      await store.setInvestigation(tx, caller.siteId, after);
      record({ action: 'investigation.update', subject: ['investigation', params.id], changes });
      return store.getInvestigation(tx, caller.siteId, params.id);
    });
    if (!changed) throw absent(params.id);
    return ok(info(changed));
  },

  async deleteInvestigation(call) {
    const { db, caller, params } = call;
    await change(db, actorOf(call), async (tx, record) => {
      const before = await store.getInvestigation(tx, caller.siteId, params.id, { lock: true });
      if (!before) throw absent(params.id);
      await store.deleteInvestigation(tx, caller.siteId, params.id);
      const { name, notes, query, totalRecords, sha256 } = before;
      record({
        action: 'investigation.delete',
        subject: ['investigation', params.id],
        changes: differences({ name, notes, query, totalRecords, sha256 }, undefined),
      });
    });
    return done;
  },
};
