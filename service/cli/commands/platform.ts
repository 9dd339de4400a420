import {
  addPlatformAdministrator,
  listPlatformAdministrators,
  removePlatformAdministrator,
} from '../../areas/sites/index.ts';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import { type Command, CommandError, parseEmailArgs } from './command.ts';
import { resolveHomeSite } from './commands.store.ts';

/** `platform list`: lists the platform administrators. */
export const showPlatformAdministrators: Command = ({ db }) => listPlatformAdministrators(db);

/** `platform grant EMAIL`: makes the user a platform administrator. */
export const grantPlatformAdministration: Command = async ({ db }, args) => {
  const { email } = parseEmailArgs(args, {});
  const { siteId, userId } = await resolveHomeSite(db, email);
  return change(db, createHostActor(siteId), async (tx, record) => {
    if (!(await addPlatformAdministrator(tx, userId)))
      throw new CommandError(`${email} is already a platform administrator`);
    record({ action: 'cli.platform-grant', subject: ['user', userId], changes: { platform: [false, true] } });
    return { id: userId, email, runsPlatform: true };
  });
};

/** `platform revoke EMAIL`: the user is no longer a platform administrator; the last one may be removed as well. */
export const revokePlatformAdministration: Command = async ({ db }, args) => {
  const { email } = parseEmailArgs(args, {});
  const { siteId, userId } = await resolveHomeSite(db, email);
  return change(db, createHostActor(siteId), async (tx, record) => {
    if (!(await removePlatformAdministrator(tx, userId)))
      throw new CommandError(`${email} is not a platform administrator`);
    record({
      action: 'cli.platform-revoke',
      subject: ['user', userId],
      changes: { platform: [true, false] },
    });
    return { id: userId, email, runsPlatform: false };
  });
};
