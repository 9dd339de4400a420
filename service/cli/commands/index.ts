import { createApiKey } from './api-key.ts';
import { type Command, type CommandContext, CommandError } from './command.ts';
import { restoreEntry } from './entry.ts';
import { showMetrics } from './metrics.ts';
import {
  grantPlatformAdministration,
  showPlatformAdministrators,
  revokePlatformAdministration,
} from './platform.ts';
import { listAllSites, setSite, showSite } from './site.ts';
import { resetTwoFactor, createUser, deactivateUser, makeAdministrator, printPasswordLink } from './user.ts';

export const HELP = `Administration on the host of the service. Results are JSON.

npm run --silent admin -- COMMAND

  api-key EMAIL --scopes "user_management data" [--site SLUG] [--expires-days N] [--replace]
      Creates an API key; the secret is printed only once. --replace turns off
      the user's active key for good.
  user create EMAIL --first-name A --last-name B [--site SLUG] [--group NAME]...
              [--time-zone ZONE]
      Creates a user and prints a link to set the password. ZONE is an IANA
      name such as Europe/Lisbon; without one the zone of the site applies.
  user deactivate EMAIL [--site SLUG] [--force]
      Prevents the user from signing in to this site. --force: even if no
      administrator remains.
  user set-password-link EMAIL [--site SLUG]
      Prints a link that works once and for 24 hours.
  user reset-two-factor EMAIL [--site SLUG]
      For a lost authenticator app, passkey and recovery codes: all of them stop
      working, and sessions end.
  user make-admin EMAIL [--site SLUG] [--lift-ip-restrictions]
      Restores access: makes the user active, licensed, unlocked and a member
      of Administrators.
  site list
  site show SLUG
  site set SLUG [--dedicated-domain DOMAIN | --no-dedicated-domain]
           [--existing-users allow|deny] [--sign-in password]
      Sets whether the site may add users of other sites without their
      confirmation, and the e-mail domain they must have. --sign-in password:
      restores access if the identity manager does not work.
  platform list
  platform grant EMAIL
  platform revoke EMAIL
      Lists and changes the platform administrators.
  entry restore TYPE ID... [--site SLUG]
      Restores deleted entries with their ids, values and history, but not
      references to them.
  metrics
      Prints the state of background work for monitoring: queued and failed
      calculations, and failed items of each scheduled task.
  help

Uses DATABASE_URL, DATA_DIR and PUBLIC_URL like the service, and works while the
service is running.
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
  'platform list': showPlatformAdministrators,
  'platform grant': grantPlatformAdministration,
  'platform revoke': revokePlatformAdministration,
  'entry restore': restoreEntry,
  metrics: showMetrics,
};

/** Runs the command in the arguments after `admin --`. @throws CommandError for an unknown or rejected command */
export function runCommand(context: CommandContext, argv: readonly string[]): Promise<unknown> {
  for (const wordCount of [1, 2]) {
    const name = argv.slice(0, wordCount).join(' ');
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command) return command(context, argv.slice(wordCount));
  }
  throw new CommandError(
    `Unknown command: ${argv.slice(0, 2).join(' ')}. To list commands: npm run admin -- help`,
  );
}
