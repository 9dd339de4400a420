import { createApiKey, revokeKey, showKeys } from './api-key.ts';
import { verifyAudit } from './audit.ts';
import { type Command, type CommandContext, CommandError } from './command.ts';
import { restoreEntry } from './entry.ts';
import { adoptFolder, prune, requestBackup, retryMails } from './maintenance.ts';
import { showMetrics } from './metrics.ts';
import {
  grantPlatformAdministration,
  showPlatformAdministrators,
  revokePlatformAdministration,
} from './platform.ts';
import {
  createNewSite,
  listAllSites,
  printAdministratorLink,
  setSite,
  setSiteSeats,
  showSite,
} from './site.ts';
import {
  createUser,
  deactivateUser,
  endUserSessions,
  makeAdministrator,
  printPasswordLink,
  resetTwoFactor,
} from './user.ts';

/** The commands that run on an open database, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  listAllSites,
  showSite,
  createNewSite,
  setSite,
  setSiteSeats,
  printAdministratorLink,
  createUser,
  deactivateUser,
  printPasswordLink,
  resetTwoFactor,
  makeAdministrator,
  createApiKey,
  showKeys,
  revokeKey,
  endUserSessions,
  showPlatformAdministrators,
  grantPlatformAdministration,
  revokePlatformAdministration,
  restoreEntry,
  verifyAudit,
  requestBackup,
  prune,
  adoptFolder,
  retryMails,
  showMetrics,
];

/** Runs the command whose name and arguments are the words. @throws CommandError for an unknown or rejected command */
export function runCommand(context: CommandContext, words: readonly string[]): Promise<unknown> {
  for (const wordCount of [1, 2]) {
    const name = words.slice(0, wordCount).join(' ');
    const command = COMMANDS.find((each) => each.name === name);
    if (command) return command.execute(context, words.slice(wordCount));
  }
  throw new CommandError(`Unknown command: ${words.slice(0, 2).join(' ')}. To list commands: steward help`);
}
