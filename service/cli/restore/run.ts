import { stat, mkdir, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import {
  type BackupFile,
  openBackup,
  RefusedFile,
  SHEETS,
  filePath,
  FILES,
  type Member,
} from '../../areas/backups/index.ts';
import { change, hostActor } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { withoutIndexes } from '../load/indexes.ts';
import { knownEntries, restoreEntries, restoreHistory, restoreSchema } from './entries.ts';
import { restoreGroups, restoreInvitations, restoreMembers, restorePeople } from './people.ts';
import { findEmptySite, raiseSequences, takeSite } from './place.ts';
import { newReport, type Report } from './report.ts';
import { Restoring } from './restoring.ts';
import type { Target } from './target.ts';
import { contentPath, keepContent } from '../../areas/entries/index.ts';

export interface RestoreOptions {
  dataDir: string;
  slug: string;
  isDryRun?: boolean;
  /** Compared with the backup afterwards: accounts of other sites get this one as theirs. */
  check?: { homeOfStrangers: number };
}

/** Backups are packed to a tenth by and large; what unpacks to so many times its size is none. */
const MOST_PACKED = 250;
const SPARE = 64 << 20;

/** Opens a backup and reads all of it once: what is damaged anywhere is refused before anything is written. */
export async function openWhole(path: string): Promise<BackupFile> {
  const file = await openBackup(path);
  try {
    const { size } = await stat(path);
    const unpacked = file.manifest.members.reduce((sum, member) => sum + member.size, 0);
    if (unpacked > size * MOST_PACKED + SPARE)
      throw new RefusedFile('The file is packed tighter than any backup: it is not unpacked');
    for (const member of file.manifest.members)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for await (const _ of file.read(member));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Restores a backup to an empty or a new site: all of it or nothing, in one transaction. Ids stay what they were, but
 * those of people, groups and invitations that this installation has given to others.
 */
export async function restoreBackup(
  target: Target,
  file: BackupFile,
  options: RestoreOptions,
): Promise<Report> {
  const { slug, isDryRun = false } = options;
  const { manifest } = file;
  const found = await findEmptySite(target.db, slug);
  const site = { slug, name: manifest.site.name, isNew: !found, signsInElsewhere: false };
  const report = newReport(manifest, site, isDryRun);
  if (isDryRun) return foretold(report, file);
  await change(target.db, hostActor(0), async (tx, record) => {
    const taken = await takeSite(tx, file, slug);
    report.site.signsInElsewhere = taken.identityMode === 'identity-manager';
    const restoring = new Restoring({
      file,
      report,
      dataDir: options.dataDir,
      siteId: taken.siteId,
      homeOfStrangers: options.check?.homeOfStrangers ?? taken.siteId,
      isCheck: options.check !== undefined,
      write: target.write,
    });
    await restoreAll(tx, restoring);
    record({
      siteId: taken.siteId,
      action: 'cli.restore',
      subject: ['site', taken.siteId],
      changes: { backup: [null, manifest.createdDate], entries: [null, report.entries] },
    });
  });
  // Without it the first reads would look at each row to learn whether it is there, and plan for empty tables.
  await sql`vacuum analyze entry, entry_change, entry_multi, entry_text, cell_log, list_block, membership`.execute(
    target.db,
  );
  return report;
}

async function restoreAll(tx: Tx, restoring: Restoring): Promise<void> {
  await restoring.copySheet(tx, SHEETS.addresses, 'approved_address');
  await restoring.copySheet(tx, SHEETS.schedule, 'backup_settings');
  await restorePeople(tx, restoring);
  await restoreGroups(tx, restoring);
  await restoreInvitations(tx, restoring);
  await restoreMembers(tx, restoring);
  const schema = await restoreSchema(tx, restoring);
  const known = await knownEntries(restoring, schema);
  await quickly(tx, async () => {
    for (const type of schema.types)
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await restoreEntries(tx, restoring, type, known);
    await restoreHistory(tx, restoring, schema);
  });
  await restoreFiles(tx, restoring);
  await raiseSequences(tx, restoring.siteId);
}

/** Indexes are built afterwards where nobody else can miss them meanwhile. */
async function quickly(tx: Tx, fill: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ others: boolean }>`
    select exists (select from membership group by site_id offset 1) as others`.execute(tx);
  await (rows[0]?.others ? fill() : withoutIndexes(tx, 0, fill));
}

/** What the manifest tells of a restore that is not made. */
function foretold(report: Report, { manifest }: BackupFile): Report {
  const of = (name: string) => manifest.members.find((member) => member.name === name)?.rows ?? 0;
  return {
    ...report,
    entries: Object.fromEntries(manifest.entryTypes.map((name) => [name, of(`entries/${name}.csv`)])),
    changes: of(SHEETS.cells.name),
    members: of(SHEETS.members.name),
    groups: of(SHEETS.groups.name),
    files: { restored: manifest.members.filter(({ kind }) => kind === 'file').length, missing: 0 },
  };
}

/**
 * Which contents of files there are. The bytes lie under their hash, the same for every site: what is put there before
 * the transaction ends is seen by nobody if it does not. Where bytes are neither in the backup nor on the disk, the
 * entry keeps the name of the file, and there is nothing to download.
 */
async function restoreFiles(tx: Tx, restoring: Restoring): Promise<void> {
  const { file, dataDir, report, isCheck } = restoring;
  const held = new Map(
    file.manifest.members.filter(({ kind }) => kind === 'file').map((each) => [each.name, each]),
  );
  const there = new Set<string>();
  if (!isCheck) for (const member of held.values()) await keepMember(restoring, member, there);
  const rows: Record<string, string | null>[] = [];
  await restoring.copySheet(tx, FILES, 'stored_file', {
    change(row) {
      rows.push(row);
      return isCheck ? row : undefined;
    },
  });
  if (isCheck) return;
  for (const row of rows) {
    const hash = Buffer.from(row['hash'] ?? '', 'hex');
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const isHere =
      there.has(filePath(hash)) || (await stat(contentPath(dataDir, hash)).catch(() => undefined));
    if (isHere) report.files.restored += 1;
    else report.files.missing += 1;
    if (isHere) there.add(filePath(hash));
  }
  await restoring.copySheet(tx, FILES, 'stored_file', {
    change: (row) => (there.has(filePath(Buffer.from(row['hash'] ?? '', 'hex'))) ? row : undefined),
  });
}

/** Puts the bytes of a member into the store, under the hash that the manifest tells and that is taken again. */
async function keepMember({ file, dataDir }: Restoring, member: Member, there: Set<string>): Promise<void> {
  const hash = Buffer.from(member.sha256, 'hex');
  if (member.name !== filePath(hash)) throw new RefusedFile(`${member.name} is not named by its content`);
  const folder = join(dataDir, 'uploads', randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, 'content');
    await pipeline(file.read(member), createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    await keepContent(dataDir, { path, name: '', size: member.size, hash });
    there.add(member.name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
