import {
  addPlatformAdministrator,
  listPlatformAdministrators,
  removePlatformAdministrator,
} from '../../areas/sites/index.ts';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import { CommandError, defineCommand, requireEmail } from './command.ts';
import { resolveHomeSite } from './commands.store.ts';

export const showPlatformAdministrators = defineCommand({
  name: 'platform list',
  summary: 'List the platform administrators',
  options: {},
  run: ({ db }) => listPlatformAdministrators(db),
});

export const grantPlatformAdministration = defineCommand({
  name: 'platform grant',
  args: '<email>',
  summary: 'Make a user a platform administrator',
  options: {},
  async run({ db }, args) {
    const email = requireEmail(args);
    const { siteId, userId } = await resolveHomeSite(db, email);
    return change(db, createHostActor(siteId), async (tx, record) => {
      if (!(await addPlatformAdministrator(tx, userId)))
        throw new CommandError(`${email} is already a platform administrator`);
      record({
        action: 'cli.platform-grant',
        subject: ['user', userId],
        changes: { platform: [false, true] },
      });
      return { id: userId, email, runsPlatform: true };
    });
  },
});

/** The last platform administrator may be removed as well. */
export const revokePlatformAdministration = defineCommand({
  name: 'platform revoke',
  args: '<email>',
  summary: 'Take platform administration from a user',
  options: {},
  async run({ db }, args) {
    const email = requireEmail(args);
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
  },
});
