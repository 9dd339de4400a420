import { forgetFactors } from '../../areas/access/index.ts';
import { change, hostActor } from '../../kernel/change.ts';
import { type Command, CommandError, readArgs } from './command.ts';
import { pickMembership } from './store.ts';

/**
 * `user reset-two-factor EMAIL [--site SLUG]`: for whom no administrator can do it: the last one, or somebody of several
 * sites. Sessions end, and where two-factor is on the next sign-in asks to set up a new one.
 */
export const resetTwoFactor: Command = async ({ db }, args) => {
  const { email, values } = readArgs(args, { site: { type: 'string' } });
  const { site, userId } = await pickMembership(db, email, values.site);
  const actor = hostActor(site.site_id);
  return change(db, actor, async (tx, record) => {
    const had = await forgetFactors(tx, actor, { userId, action: 'cli.two-factor-reset' }, record);
    if (!had) throw new CommandError(`${email} has no second factor set up`);
    return { id: userId, email, site: site.slug };
  });
};
