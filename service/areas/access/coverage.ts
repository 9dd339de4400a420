import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { countFactors, listWithoutFactor } from './coverage.store.ts';

/** How far two-factor authentication reaches on a site (spec 2.1). */
export const coverageHandlers: Handlers<'readTwoFactorCoverage'> = {
  async readTwoFactorCoverage({ db, caller: { siteId } }) {
    const counts = await countFactors(db, siteId);
    return ok({ ...counts, people: await listWithoutFactor(db, siteId) });
  },
};
