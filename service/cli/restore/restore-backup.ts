import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import {
  type BackupFile,
  openBackup,
  InvalidBackupError,
  buildFilePath,
  FILES_SHEET,
  type Member,
} from '../../areas/backups/index.ts';
import { renewContent, stageContents, storeContents } from '../../areas/entries/index.ts';
import { registry, SHEETS } from '../../areas/registry.ts';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { TableSheet } from '../../kernel/backup-sheets.ts';
import { createFolder } from '../../kernel/create-folder.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import type { FilePlace } from '../../kernel/files/file-folder.ts';
import { withoutIndexes } from '../load/indexes.ts';
import { collectEntryIds, restoreEntries, restoreHistory, restoreSchema } from './entries.ts';
import { restoreGroups, restoreInvitations, restoreMembers, restorePeople } from './people.ts';
import { createReport, type RestoreReport } from './report.ts';
import { RestoreContext } from './restore-context.ts';
import { clearMissingContactType, findEmptySite, raiseSequences, prepareSite } from './site.ts';
import type { RestoreTarget } from './target.ts';

export interface RestoreOptions extends FilePlace {
  slug: string;
  isDryRun?: boolean;
  /** Restore for verification: the result is compared with the backup; accounts of other sites get this home site. */
  verification?: { foreignHomeSiteId: number };
}

/** Limit of unpacked to packed size against decompression bombs; backups have a ratio of about 10. */
const MAX_COMPRESSION_RATIO = 250;
const ALLOWED_EXCESS_BYTES = 64 << 20;

/** Opens a backup and reads it completely once, so that a damaged file is rejected before anything is written. */
export async function openAndReadBackup(path: string): Promise<BackupFile> {
  const file = await openBackup(path);
  try {
    const { size } = await stat(path);
    const unpacked = file.manifest.members.reduce((sum, member) => sum + member.size, 0);
    if (unpacked > size * MAX_COMPRESSION_RATIO + ALLOWED_EXCESS_BYTES)
      throw new InvalidBackupError('The file is compressed more than any backup and was not unpacked');
    for (const member of file.manifest.members) for await (const _ of file.read(member));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Restores a backup to an empty or a new site in one transaction. Ids stay the same, except those of users, groups and invitations
 * that this installation already uses.
 */
export async function restoreBackup(
  target: RestoreTarget,
  file: BackupFile,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { slug, isDryRun = false } = options;
  const { manifest } = file;
  const emptySite = await findEmptySite(target.db, slug);
  const site = { slug, name: manifest.site.name, isNew: !emptySite, signsInElsewhere: false };
  const report = createReport(manifest, site, isDryRun);
  if (isDryRun) return describeDryRun(report, file);
  await change(target.db, createHostActor(0), async (tx, record) => {
    const { siteId, identityMode } = await prepareSite(tx, file, slug);
    report.site.signsInElsewhere = identityMode === 'identity-manager';
    const context = new RestoreContext({
      file,
      report,
      dataDir: options.dataDir,
      blobs: options.blobs,
      siteId,
      foreignHomeSiteId: options.verification?.foreignHomeSiteId ?? siteId,
      isVerification: options.verification !== undefined,
      write: target.write,
    });
    await restoreSheets(tx, context);
    record({
      siteId,
      action: 'cli.restore',
      subject: ['site', siteId],
      changes: { backup: [null, manifest.createdDate], entries: [null, report.entries] },
    });
  });
  // Otherwise the first reads would check the visibility of each row and use plans for empty tables.
  await sql`vacuum analyze entry, entry_change, entry_multi, entry_text, cell_log, entry_block, list_block, membership`.execute(
    target.db,
  );
  return report;
}

/** Sheets whose rows need more than a copy, or an order among each other; `restoreSheets` names each of them. */
const ORDERED_SHEETS: readonly TableSheet[] = [
  SHEETS.site,
  SHEETS.addresses,
  SHEETS.schedule,
  SHEETS.types,
  SHEETS.fields,
  SHEETS.choices,
  SHEETS.counters,
  SHEETS.calculations,
  SHEETS.views,
  SHEETS.invitations,
  SHEETS.members,
  SHEETS.licenses,
  SHEETS.groups,
  SHEETS.groupMembers,
  SHEETS.proxies,
  SHEETS.changes,
  SHEETS.cells,
  SHEETS.waiting,
];

async function restoreSheets(tx: Tx, context: RestoreContext): Promise<void> {
  await context.copySheet(tx, SHEETS.addresses, 'approved_address');
  await context.copySheet(tx, SHEETS.schedule, 'backup_settings');
  await restorePeople(tx, context);
  await restoreGroups(tx, context);
  await restoreInvitations(tx, context);
  await restoreMembers(tx, context);
  const schema = await restoreSchema(tx, context);
  const knownIds = await collectEntryIds(context, schema);
  await withFastIndexes(tx, async () => {
    for (const type of schema.types) await restoreEntries(tx, context, type, knownIds);
    await restoreHistory(tx, context, schema);
  });
  await restoreFiles(tx, context);
  for (const sheet of Object.values(registry.sheets))
    // The sheet of a table that needs no special treatment is read from that table alone.
    if (!ORDERED_SHEETS.includes(sheet) && hasSheet(context.file, sheet))
      await context.copySheet(tx, sheet, sheet.from as keyof Tables);
  if (!context.isVerification) await clearMissingContactType(tx, context.siteId);
  await raiseSequences(tx, context.siteId);
}

const hasSheet = ({ manifest }: BackupFile, { name, isOptional }: TableSheet): boolean =>
  !isOptional || manifest.members.some((member) => member.name === name);

/** Builds indexes after filling the tables if no other site needs them in the meantime. */
async function withFastIndexes(tx: Tx, fill: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ hasOtherSites: boolean }>`
    select exists (select from membership group by site_id offset 1) as "hasOtherSites"`.execute(tx);
  await (rows[0]?.hasOtherSites ? fill() : withoutIndexes(tx, 0, fill));
}

/** The report of a dry run, from the manifest of the backup. */
function describeDryRun(report: RestoreReport, { manifest }: BackupFile): RestoreReport {
  const countRows = (name: string) => manifest.members.find((member) => member.name === name)?.rows ?? 0;
  return {
    ...report,
    entries: Object.fromEntries(manifest.entryTypes.map((name) => [name, countRows(`entries/${name}.csv`)])),
    changes: countRows(SHEETS.cells.name),
    members: countRows(SHEETS.members.name),
    groups: countRows(SHEETS.groups.name),
    files: { restored: manifest.members.filter(({ kind }) => kind === 'file').length, missing: 0 },
  };
}

/**
 * Restores the files of entries. Their content is stored under its hash, for all sites together: files written before a rollback
 * are not visible to anybody. If the content is neither in the backup nor stored, the entry keeps the name of the file without a
 * download.
 */
async function restoreFiles(tx: Tx, context: RestoreContext): Promise<void> {
  const { file, blobs, report, isVerification: isCheck } = context;
  const membersByName = new Map(
    file.manifest.members.filter(({ kind }) => kind === 'file').map((member) => [member.name, member]),
  );
  const availableFiles = new Set<string>();
  if (!isCheck)
    for (const member of membersByName.values()) await storeMember(tx, context, member, availableFiles);
  const rows: Record<string, string | null>[] = [];
  await context.copySheet(tx, FILES_SHEET, 'stored_file', {
    transform(row) {
      rows.push(row);
      return isCheck ? row : undefined;
    },
  });
  if (isCheck) return;
  for (const row of rows) {
    const hash = Buffer.from(row['hash'] ?? '', 'hex');
    const isHere = availableFiles.has(buildFilePath(hash)) || (await renewContent(tx, blobs, hash));
    if (isHere) report.files.restored += 1;
    else report.files.missing += 1;
    if (isHere) availableFiles.add(buildFilePath(hash));
  }
  await context.copySheet(tx, FILES_SHEET, 'stored_file', {
    transform: (row) =>
      availableFiles.has(buildFilePath(Buffer.from(row['hash'] ?? '', 'hex'))) ? row : undefined,
  });
}

/** Stores the content of a file member under the hash in the manifest, after computing the hash again. */
async function storeMember(
  tx: Tx,
  { file, dataDir, blobs }: RestoreContext,
  member: Member,
  availableFiles: Set<string>,
): Promise<void> {
  const hash = Buffer.from(member.sha256, 'hex');
  if (member.name !== buildFilePath(hash))
    throw new InvalidBackupError(`${member.name} is not named after the hash of its content`);
  const folder = join(dataDir, 'uploads', randomUUID());
  await createFolder(folder);
  try {
    const path = join(folder, 'content');
    await pipeline(file.read(member), createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true }));
    await using staged = await stageContents(blobs, [{ path, name: '', size: member.size, hash }]);
    await storeContents(tx, blobs, staged);
    availableFiles.add(member.name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
