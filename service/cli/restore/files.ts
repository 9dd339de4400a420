import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { filePath, FILES, type Member, RefusedFile } from '../../areas/backups/index.ts';
import { contentPath, keepContent } from '../../areas/entries/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { Restoring } from './restoring.ts';

/**
 * Which contents of files there are. The bytes lie under their hash, the same for every site: what is put there before
 * the transaction ends is seen by nobody if it does not. Where bytes are neither in the backup nor on the disk, the
 * entry keeps the name of the file, and there is nothing to download.
 */
export async function restoreFiles(tx: Tx, restoring: Restoring): Promise<void> {
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
