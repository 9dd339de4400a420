import type { ActingStep } from '../../../contract/generated/types.gen.ts';
import { notFound } from '../../kernel/http/errors.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import * as store from './reports.store.ts';

const toStep = ({ at, ...step }: store.StoredStep): ActingStep => ({ date: at.toISOString(), ...step });

export const reportHandlers: Handlers<'listActingReports' | 'readActingReport'> = {
  async listActingReports({ db, caller, query }) {
    return ok(await store.listReports(db, caller.siteId, query.userId, pageOf(query)));
  },

  async readActingReport({ db, caller, params, query }) {
    const report = await store.getReport(db, caller.siteId, params.id);
    if (!report) throw notFound(`Report ${params.id}`);
    const steps = await store.listSteps(db, caller.siteId, report.id, pageOf(query));
    return ok({ report, steps: steps.map(toStep) });
  },
};
