import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { getSite } from '../sites/index.ts';
import { dueDay } from './schedule.ts';
import * as store from './settings.store.ts';
import { clock } from './store.ts';

export const backupSettingsHandlers: Handlers<'getBackupSettings' | 'updateBackupSettings'> = {
  async getBackupSettings({ db, caller }) {
    return ok(await store.readSettings(db, caller.siteId));
  },

  async updateBackupSettings(call) {
    const { db, caller, body } = call;
    const { siteId } = caller;
    const after = await change(db, actorOf(call), async (tx, record) => {
      const before = await store.lockSettings(tx, siteId);
      const changes = differences({ ...before }, { ...body });
      if (Object.keys(changes).length === 0) return before;
      // The first one is made when its hour comes next, not for a day on which nobody had asked for one.
      const begins = body.isDaily && (!before.isDaily || before.hour !== body.hour);
      const { timeZone } = await getSite(tx, siteId);
      const lastDay = begins ? dueDay(await clock(tx), body.hour, timeZone) : undefined;
      await store.writeSettings(tx, siteId, body, lastDay);
      record({ action: 'backup.settings', subject: ['site', siteId], changes });
      return store.readSettings(tx, siteId);
    });
    return ok(after);
  },
};
