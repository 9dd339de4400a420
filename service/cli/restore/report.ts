import type { Manifest } from '../../areas/backups/index.ts';

/** What a restore did, or would do. */
export interface Report {
  site: { slug: string; name: string; isNew: boolean; signsInElsewhere: boolean };
  backup: { createdDate: string; schemaVersion: number; isWholeSite: boolean; includesFiles: boolean };
  isDryRun: boolean;
  entries: Record<string, number>;
  changes: number;
  members: number;
  groups: number;
  /** People with an account on this platform, and those who got one without a password. */
  accounts: { found: number; made: number };
  openInvitations: number;
  files: { restored: number; missing: number };
  /** References to entries that are not in the backup. */
  droppedReferences: number;
  notIncluded: readonly string[];
}

export const newReport = (manifest: Manifest, site: Report['site'], isDryRun: boolean): Report => ({
  site,
  backup: {
    createdDate: manifest.createdDate,
    schemaVersion: manifest.schemaVersion,
    isWholeSite: manifest.isWholeSite,
    includesFiles: manifest.includesFiles,
  },
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

const count = (n: number, one: string, several = `${one}s`) =>
  `${new Intl.NumberFormat('en').format(n)} ${n === 1 ? one : several}`;

/** The report in words, a line a fact. */
export function inWords(report: Report): string {
  const { site, backup, accounts, files } = report;
  const entries = Object.values(report.entries).reduce((sum, n) => sum + n, 0);
  const lines = [
    `${report.isDryRun ? 'Nothing was written. The backup would be restored' : 'The backup was restored'} ` +
      `to ${site.isNew ? 'the new' : 'the empty'} site ${site.slug} as it was at ${backup.createdDate}.`,
    `${count(entries, 'entry', 'entries')} of ${count(Object.keys(report.entries).length, 'type')}, ` +
      `${count(report.changes, 'change')} in their history, ${count(files.restored, 'file')}.`,
    ...(report.isDryRun
      ? []
      : [
          `${count(report.members, 'member')}: ${count(accounts.found, 'account')} of them and of former members ` +
            `known here by e-mail address, ${count(accounts.made, 'account')} made.`,
        ]),
    site.signsInElsewhere &&
      'The site signs people in through its identity manager, which is to be set up again. Until then nobody gets in, ' +
        `or they come with passwords: npm run admin -- site set ${site.slug} --sign-in password`,
    accounts.made > 0 &&
      'Who got an account has no password yet: npm run admin -- user set-password-link EMAIL',
    report.openInvitations > 0 && `${count(report.openInvitations, 'open invitation')}: send them again.`,
    files.missing > 0 && `${count(files.missing, 'file')}: neither in the backup nor on this disk.`,
    report.droppedReferences > 0 &&
      `${count(report.droppedReferences, 'reference')} to entries that are not in the backup left out.`,
    ...report.notIncluded.map((line) => `Not in backups. ${line}.`),
  ];
  return `${lines.filter((line) => line !== false).join('\n')}\n`;
}
