/** Finished members of a backup that is being written, from which another process continues it. */
import { appendFile, open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { Manifest, Member } from './manifest.ts';
import type { ArchiveEntry } from './zip-archive.ts';

const Entry = z.object({
  name: z.string(),
  method: z.number(),
  crc: z.number(),
  compressedSize: z.number(),
  size: z.number(),
  start: z.number(),
  end: z.number(),
  rawCrc: z.number(),
}) satisfies z.ZodType<ArchiveEntry>;

/** A member of the archive: what the manifest and what the list of the archive say about it. */
const FinishedMember = z.object({ member: Member, entry: Entry });
export type FinishedMember = z.infer<typeof FinishedMember>;

/** The part of a snapshot besides the sheets. */
const Snapshot = z.object({
  head: Manifest.omit({ isWholeSite: true, includesFiles: true, notIncluded: true, members: true }),
  /** Units of work of the whole backup. */
  total: z.number(),
  /** Number of members that are sheets. */
  sheetCount: z.number(),
  /** The files to be copied: their hashes in hexadecimal, and sizes. */
  contents: z.array(z.tuple([z.string(), z.number()])),
});
export type Snapshot = z.infer<typeof Snapshot>;

const Line = z.union([z.object({ finished: FinishedMember }), z.object({ snapshot: Snapshot })]);

/** A line as it was written; undefined for a damaged one. */
function parseLine(text: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Appends to the journal. Nothing is flushed to the disk: a beginning that did not reach it is recognized by its checksum. */
const appendLine = (path: string, line: z.infer<typeof Line>): Promise<void> =>
  appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });

export const recordMember = (path: string, finished: FinishedMember): Promise<void> =>
  appendLine(path, { finished });

/** Called when the snapshot has ended: from then on the backup can be continued. */
export const recordSnapshot = (path: string, snapshot: Snapshot): Promise<void> =>
  appendLine(path, { snapshot });

/** The finished part of an attempt. */
export interface FinishedPart {
  /** Path of its archive. */
  path: string;
  snapshot: Snapshot;
  members: FinishedMember[];
}

/**
 * Reads what an attempt has finished and what is intact of it. Undefined if it cannot be continued, because its snapshot had not ended:
 * sheets of two snapshots would contradict each other.
 */
export async function readFinishedPart(paths: {
  archive: string;
  journal: string;
}): Promise<FinishedPart | undefined> {
  const text = await readFile(paths.journal, 'utf8').catch(() => '');
  const members: FinishedMember[] = [];
  let snapshot: Snapshot | undefined;
  // The last line may be incomplete.
  for (const line of text.split('\n').slice(0, -1)) {
    const data = parseLine(line);
    if (!data) return undefined;
    if ('finished' in data) members.push(data.finished);
    else snapshot = data.snapshot;
  }
  if (!snapshot) return undefined;
  const intactCount = await countIntact(paths.archive, members);
  if (intactCount < snapshot.sheetCount) return undefined;
  return { path: paths.archive, snapshot, members: members.slice(0, intactCount) };
}

const CHUNK_LENGTH = 1 << 20;

/** Number of members up to the first that is not in the file as it was written. */
async function countIntact(path: string, members: readonly FinishedMember[]): Promise<number> {
  const file = await open(path).catch(() => undefined);
  if (!file) return 0;
  try {
    const chunk = Buffer.alloc(CHUNK_LENGTH);
    for (const [index, { entry }] of members.entries()) {
      let crc = 0;
      for (let at = entry.start; at < entry.end;) {
        const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_LENGTH, entry.end - at), at);
        if (bytesRead === 0) return index;
        crc = crc32(chunk.subarray(0, bytesRead), crc);
        at += bytesRead;
      }
      if (crc !== entry.rawCrc) return index;
    }
    return members.length;
  } finally {
    await file.close();
  }
}
