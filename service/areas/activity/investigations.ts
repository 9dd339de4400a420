import { createHash } from 'node:crypto';
import type { InvestigationInfo, UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { badRequest, notFound } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change } from '../../kernel/audit/change.ts';
import { getAuthor } from '../../kernel/auth/caller.ts';
import { readInSnapshot } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, parsePage, requireVersion } from '../../kernel/http/parameters.ts';
import { parseFilter } from './filter.ts';
import * as store from './investigations.store.ts';
import { readReport, toActivityEntry } from './report.store.ts';

/** Rows saved with an investigation: the newest 1,000 (contract, createInvestigation). */
const FROZEN_PAGE = { offset: 0, limit: 1000 };

const toInvestigationInfo = (stored: store.StoredInvestigation): InvestigationInfo => ({
  ...stored,
  createdDate: stored.createdDate.toISOString(),
  modifiedDate: stored.modifiedDate.toISOString(),
});

function requireName(name: string | undefined): void {
  if (name?.trim() === '') throw badRequest([{ path: 'name', message: 'must not be empty' }]);
}

/** The version of an investigation: each change moves its time forward. */
const getVersion = ({ modifiedDate }: store.StoredInvestigation): number => modifiedDate.getTime();

const createNotFoundError = (id: number) => notFound(`Investigation ${id}`);

type Operations =
  | 'listInvestigations'
  | 'createInvestigation'
  | 'readInvestigation'
  | 'updateInvestigation'
  | 'deleteInvestigation';

export const investigationHandlers: Handlers<Operations> = {
  async listInvestigations({ db, caller, query }) {
    return ok((await store.listInvestigations(db, caller.siteId, parsePage(query))).map(toInvestigationInfo));
  },

  async createInvestigation(call) {
    const { db, caller, body } = call;
    requireName(body.name);
    const filter = parseFilter(body.query, { now: Date.now(), pathPrefix: 'query.' });
    const { total, rows } = await readInSnapshot(db, (tx) =>
      readReport(tx, caller.siteId, filter, FROZEN_PAGE),
    );
    const frozen = JSON.stringify(rows.map(toActivityEntry));
    const values = {
      name: body.name,
      notes: body.notes ?? '',
      query: body.query,
      createdBy: getAuthor(caller).userId,
      totalRecords: total,
      frozenRows: rows.length,
      sha256: createHash('sha256').update(frozen).digest('hex'),
    };
    const created = await change(db, getActor(call), async (tx, record) => {
      const id = await store.insertInvestigation(tx, caller.siteId, { ...values, rows: frozen });
      const { createdBy: _by, ...auditedValues } = values;
      record({
        action: 'investigation.create',
        subject: ['investigation', id],
        changes: diffProperties(undefined, auditedValues),
      });
      return store.getInvestigation(tx, caller.siteId, id);
    });
    if (!created) throw new Error('The inserted investigation is missing');
    return ok(toInvestigationInfo(created));
  },

  async readInvestigation({ db, caller, params }) {
    const found = await store.getInvestigation(db, caller.siteId, params.id);
    if (!found) throw createNotFoundError(params.id);
    const rows = JSON.parse(await store.getFrozenRows(db, caller.siteId, params.id)) as UserActivityEntry[];
    return ok({ info: toInvestigationInfo(found), rows }, { etag: formatEtag(getVersion(found)) });
  },

  async updateInvestigation(call) {
    const { db, caller, params, body } = call;
    requireName(body.name);
    const changed = await change(db, getActor(call), async (tx, record) => {
      const before = await store.getInvestigation(tx, caller.siteId, params.id, { lock: true });
      if (!before) throw createNotFoundError(params.id);
      requireVersion(call.ifMatch, getVersion(before), 'the investigation');
      const after = { ...before, name: body.name ?? before.name, notes: body.notes ?? before.notes };
      const changes = diffProperties(before, after);
      if (Object.keys(changes).length === 0) return before;
      await store.updateInvestigation(tx, caller.siteId, after);
      record({ action: 'investigation.update', subject: ['investigation', params.id], changes });
      return store.getInvestigation(tx, caller.siteId, params.id);
    });
    if (!changed) throw createNotFoundError(params.id);
    return ok(toInvestigationInfo(changed), { etag: formatEtag(getVersion(changed)) });
  },

  async deleteInvestigation(call) {
    const { db, caller, params } = call;
    await change(db, getActor(call), async (tx, record) => {
      const before = await store.getInvestigation(tx, caller.siteId, params.id, { lock: true });
      if (!before) throw createNotFoundError(params.id);
      await store.deleteInvestigation(tx, caller.siteId, params.id);
      const { name, notes, query, totalRecords, sha256 } = before;
      record({
        action: 'investigation.delete',
        subject: ['investigation', params.id],
        changes: diffProperties({ name, notes, query, totalRecords, sha256 }, undefined),
      });
    });
    return noContent;
  },
};
