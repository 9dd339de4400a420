import { grantPlatform, listRunners, revokePlatform } from '../../areas/sites/index.ts';
import { change, hostActor } from '../../kernel/change.ts';
import { type Command, CommandError, readArgs } from './command.ts';
import { pickHomeSite } from './store.ts';

/** `platform list`: who runs the platform. */
export const listPlatform: Command = ({ db }) => listRunners(db);

/** `platform grant EMAIL`: this person administers the sites themselves. */
export const grant: Command = async ({ db }, args) => {
  const { email } = readArgs(args, {});
  const { siteId, userId } = await pickHomeSite(db, email);
  return change(db, hostActor(siteId), async (tx, record) => {
    if (!(await grantPlatform(tx, userId))) throw new CommandError(`${email} runs the platform already`);
    record({ action: 'cli.platform-grant', subject: ['user', userId], changes: { platform: [false, true] } });
    return { id: userId, email, runsPlatform: true };
  });
};

/** `platform revoke EMAIL`: this person no longer does; the host is always a way back. */
export const revoke: Command = async ({ db }, args) => {
  const { email } = readArgs(args, {});
  const { siteId, userId } = await pickHomeSite(db, email);
  return change(db, hostActor(siteId), async (tx, record) => {
    if (!(await revokePlatform(tx, userId))) throw new CommandError(`${email} does not run the platform`);
    record({
      action: 'cli.platform-revoke',
      subject: ['user', userId],
      changes: { platform: [true, false] },
    });
    return { id: userId, email, runsPlatform: false };
  });
};
