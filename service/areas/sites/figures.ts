/** Figures of sites by day: stored by a scheduled task, since nothing else keeps them (docs/decisions/0090). */
import type { Capability, Scope, SiteFigures } from '../../../contract/generated/types.gen.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { type Handlers, ok } from '../../kernel/http/handler.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import * as store from './figures.store.ts';

const HOUR_MS = 3_600_000;
/** Several processes measure a site once an hour. */
const FRESH_MINUTES = 55;
/** Days before the first measurement that the audit log fills in: those that the console shows. */
const FILLED_DAYS = 30;
/** Days that figures are kept: a year, and the month that is compared with that of the year before. */
export const FIGURE_DAYS = 400;
/** Default of the contract. */
const DEFAULT_DAYS = 30;

/** Scheduled task that measures every site once an hour, closes the days that have ended, and deletes the oldest. */
export const createFiguresTask = ({ db }: { db: Db }): ScheduledTask =>
  createItemTask(db, {
    name: 'figures of sites',
    intervalMs: HOUR_MS,
    listItems: async () =>
      (await store.listSitesToMeasure(db, FRESH_MINUTES)).map((siteId) => ({ siteId, item: '' })),
    async runStep({ siteId }, _signal, siteDb) {
      await store.saveFigures(siteDb, siteId, FILLED_DAYS);
      await store.deleteOldFigures(siteDb, siteId, FIGURE_DAYS);
      return false;
    },
  });

/** Who may see a figure: as the operation that answers its present value. */
interface Visibility {
  capabilities: readonly Capability[];
  scope: Scope;
}

const ENTRIES: Visibility = {
  capabilities: ['Read Data', 'Manage Schema', 'Run Reports', 'Manage Report Templates'],
  scope: 'data',
};
const CHANGES: Visibility = { capabilities: ['Read Data'], scope: 'data' };
const STORAGE: Visibility = { capabilities: ['Manage Settings'], scope: 'user_management' };

const maySee = ({ capabilities, scopes }: Caller, figure: Visibility): boolean =>
  figure.capabilities.some((capability) => capabilities.has(capability)) &&
  (scopes === undefined || scopes.has(figure.scope));

export const figureHandlers: Handlers<'listSiteFigures'> = {
  async listSiteFigures({ db, caller, query }) {
    const [entries, changes, storage] = [ENTRIES, CHANGES, STORAGE].map((figure) => maySee(caller, figure));
    const days = await store.readFigures(db, caller.siteId, query.days ?? DEFAULT_DAYS);
    return ok(
      days.map((day): SiteFigures => ({
        date: day.day,
        ...(entries && { entries: day.entries }),
        ...(changes && { changes: day.changes }),
        ...(storage && { storageBytes: day.storageBytes }),
      })),
    );
  },
};
