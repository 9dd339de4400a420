import { createApiKey } from './api-key.ts';
import { type Command, type CommandContext, CommandError } from './command.ts';
import { restoreEntry } from './entry.ts';
import { grant, listPlatform, revoke } from './platform.ts';
import { listAllSites, setSite, showSite } from './site.ts';
import { resetTwoFactor } from './two-factor.ts';
import { createUser, deactivateUser, makeAdministrator, printPasswordLink } from './user.ts';

export const HELP = `Administration on the host of the service. Answers are JSON.

npm run --silent admin -- COMMAND

  api-key EMAIL --scopes "user_management data" [--site SLUG] [--expires-days N] [--replace]
      A new API key; the secret is printed this once. --replace turns off the
      one that the user has, for good.
  user create EMAIL --first-name A --last-name B [--site SLUG] [--group NAME]...
      A new user, and the link to set a password.
  user deactivate EMAIL [--site SLUG] [--force]
      The user can no longer sign in on this site. --force: even when no
      administrator remains.
  user set-password-link EMAIL [--site SLUG]
      A link that works once and for 24 hours.
  user reset-two-factor EMAIL [--site SLUG]
      For a lost authenticator app, passkey and recovery codes: all of them stop
      working, and sessions end.
  user make-admin EMAIL [--site SLUG] [--lift-ip-restrictions]
      The way back in: active, licensed, unlocked, in Administrators.
  site list
  site show SLUG
  site set SLUG [--dedicated-domain DOMAIN | --no-dedicated-domain]
           [--existing-users allow|deny] [--sign-in password]
      Whether the site may add users of other sites without their
      confirmation, and of which e-mail domain they must be. --sign-in
      password: the way back when its identity manager lets nobody in.
  platform list
  platform grant EMAIL
  platform revoke EMAIL
      Who administers the sites themselves.
  entry restore TYPE ID... [--site SLUG]
      Deleted entries come back with their ids, values and history; references
      to them do not.
  help

It takes DATABASE_URL, DATA_DIR and PUBLIC_URL as the service does, and works
beside a running service.
`;

const COMMANDS: Readonly<Record<string, Command>> = {
  'api-key': createApiKey,
  'user create': createUser,
  'user deactivate': deactivateUser,
  'user set-password-link': printPasswordLink,
  'user reset-two-factor': resetTwoFactor,
  'user make-admin': makeAdministrator,
  'site list': listAllSites,
  'site show': showSite,
  'site set': setSite,
  'platform list': listPlatform,
  'platform grant': grant,
  'platform revoke': revoke,
  'entry restore': restoreEntry,
};

/**
 * Runs what was typed after `admin --`.
 * @throws CommandError with the words for the person
 */
export function runCommand(context: CommandContext, argv: readonly string[]): Promise<unknown> {
  for (const words of [1, 2]) {
    const name = argv.slice(0, words).join(' ');
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command) return command(context, argv.slice(words));
  }
  throw new CommandError(`Not a command: ${argv.slice(0, 2).join(' ')}. For the list: npm run admin -- help`);
}
