import { isReservedTypeName } from '../../../contract/rules/schema/type-names.ts';
import type { Manifest } from '../../areas/backups/index.ts';
import { pluralize } from '../../kernel/numbers.ts';

/** Result of a restore or dry run; printed as JSON. */
export interface RestoreReport {
  site: { slug: string; name: string; isNew: boolean; signsInElsewhere: boolean };
  backup: { createdDate: string; schemaVersion: number; isWholeSite: boolean; includesFiles: boolean };
  isDryRun: boolean;
  entries: Record<string, number>;
  changes: number;
  members: number;
  groups: number;
  /** Users whose account existed, and users for whom an account without password was created. */
  accounts: { found: number; made: number };
  openInvitations: number;
  files: { restored: number; missing: number };
  /** References to entries that are not in the backup. */
  droppedReferences: number;
  notIncluded: readonly string[];
}

const pickBackup = ({
  createdDate,
  schemaVersion,
  isWholeSite,
  includesFiles,
}: Manifest): RestoreReport['backup'] => ({ createdDate, schemaVersion, isWholeSite, includesFiles });

/** Result of a verification that found no differences; printed as JSON. */
export const createVerificationReport = (manifest: Manifest) => ({
  backup: pickBackup(manifest),
  verified: 'passed',
});

export const createReport = (
  manifest: Manifest,
  site: RestoreReport['site'],
  isDryRun: boolean,
): RestoreReport => ({
  site,
  backup: pickBackup(manifest),
  isDryRun,
  entries: {},
  changes: 0,
  members: 0,
  groups: 0,
  accounts: { found: 0, made: 0 },
  openInvitations: 0,
  files: { restored: 0, missing: 0 },
  droppedReferences: 0,
  notIncluded: manifest.notIncluded,
});

/** The report as text. */
export function formatReport(report: RestoreReport): string {
  const { site, backup, accounts, files } = report;
  const entries = Object.values(report.entries).reduce((sum, n) => sum + n, 0);
  const lines = [
    `${report.isDryRun ? 'Dry run: nothing was written. The backup would be restored' : 'The backup was restored'} ` +
      `to ${site.isNew ? 'the new' : 'the empty'} site ${site.slug} as it was at ${backup.createdDate}.`,
    `${pluralize(entries, 'entry', 'entries')} of ${pluralize(Object.keys(report.entries).length, 'type')}, ` +
      `${pluralize(report.changes, 'change')} of values, ${pluralize(files.restored, 'file')}.`,
    ...(report.isDryRun
      ? []
      : [
          `${pluralize(report.members, 'member')}. Accounts of members and former members: ` +
            `${pluralize(accounts.found, 'account')} found by e-mail address, ${pluralize(accounts.made, 'account')} created.`,
        ]),
    site.signsInElsewhere &&
      'Users of the site sign in through its identity manager, which must be configured again. Until then nobody can sign ' +
        `in unless you switch to passwords: steward site set ${site.slug} --sign-in password`,
    accounts.made > 0 && 'New accounts have no password yet: steward user set-password-link EMAIL',
    report.openInvitations > 0 &&
      `${pluralize(report.openInvitations, 'open invitation')} must be sent again.`,
    files.missing > 0 &&
      `${pluralize(files.missing, 'file')} missing: neither in the backup nor on this disk.`,
    report.droppedReferences > 0 &&
      `${pluralize(report.droppedReferences, 'reference')} to entries that are not in the backup omitted.`,
    // Such types were created by an earlier version. Refusing the backup would lose the data.
    ...Object.keys(report.entries)
      .filter(isReservedTypeName)
      .map(
        (name) =>
          `The entry type ${name} has the name of a path, so programs can address it only by its number: rename it.`,
      ),
    ...report.notIncluded.map((line) => `Not included in backups: ${line}.`),
  ];
  return `${lines.filter((line) => line !== false).join('\n')}\n`;
}
