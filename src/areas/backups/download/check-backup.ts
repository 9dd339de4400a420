import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { readChunks } from '../../../files/read-chunks.ts';
import { openZip } from '../../../files/workbook/zip-reader.ts';
import type { ZipReaderHandle } from '../../../files/workbook/zip-reader.ts';

/**
 * How a member of the archive compares with the manifest: `damaged`: it cannot be unpacked; `different`: its content has another
 * SHA-256; `missing`: the manifest lists it and the archive lacks it; `unlisted`: the reverse.
 */
type MemberResult = 'matches' | 'different' | 'damaged' | 'missing' | 'unlisted';

/** A member of the archive, or of its manifest only. */
export interface CheckedMember {
  name: string;
  /** Absent for a member that the manifest does not list, as the number of records and the hash. */
  title?: string | undefined;
  rows?: number | undefined;
  sha256?: string;
  size?: number;
  result: MemberResult;
}

/** Result of a check: what the file says of itself, and the result of each member, failures first. */
export interface CheckReport {
  /** SHA-256 of the whole file. */
  sha256: string;
  manifest: ManifestHead;
  members: readonly CheckedMember[];
}

/** Why a file could not be checked; `isReadable`: it was read, so that it is no complete backup. */
export interface CheckFailure {
  problem: string;
  isReadable: boolean;
}

/** A report, or why the file could not be checked, as the worker answers. */
export type CheckAnswer = CheckReport | CheckFailure;

/** Why a file cannot be checked, for the user. */
export class UncheckableFileError extends Error {
  override name = 'UncheckableFileError';
}

/** The browser could not read the file, which says nothing about its content. @throws that error */
function rethrowReadError(thrown: unknown): void {
  if (thrown instanceof DOMException) throw thrown;
}

const MANIFEST_NAME = 'manifest.json';
/** As the service reads (service/areas/backups/file/read-backup.ts). */
const MAX_MANIFEST_BYTES = 64 << 20;
const NO_BACKUP = 'The file is no backup of this product: it has no manifest.json.';

const Manifest = z.object({
  format: z.literal('steward-backup'),
  formatVersion: z.number(),
  serviceVersion: z.string(),
  createdDate: z.string(),
  site: z.object({ name: z.string() }),
  members: z.array(
    z.object({
      name: z.string(),
      title: z.string().nullable(),
      rows: z.number().nullable(),
      size: z.number(),
      sha256: z.string(),
    }),
  ),
});
type Manifest = z.infer<typeof Manifest>;
type ManifestHead = Omit<Manifest, 'members' | 'format'>;

/** Opens the archive; its directory stands at its end, so that a file that was cut off has none. */
async function openArchive(file: Blob): Promise<ZipReaderHandle> {
  try {
    return await openZip(file);
  } catch (thrown) {
    rethrowReadError(thrown);
    throw new UncheckableFileError(
      'The file is not a ZIP archive, or its end is missing: a download that was interrupted has this effect.',
    );
  }
}

async function readManifest(zip: ZipReaderHandle): Promise<Manifest> {
  if (!zip.paths.includes(MANIFEST_NAME)) throw new UncheckableFileError(NO_BACKUP);
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    await zip.read(MANIFEST_NAME, (chunk) => {
      size += chunk.length;
      if (size > MAX_MANIFEST_BYTES) throw new RangeError('Too large');
      text += decoder.decode(chunk, { stream: true });
    });
    return Manifest.parse(JSON.parse(text));
  } catch (thrown) {
    rethrowReadError(thrown);
    throw new UncheckableFileError(
      thrown instanceof z.ZodError
        ? 'The manifest of the file does not have the form of a backup.'
        : 'The manifest of the file is damaged, so that its members cannot be compared with it.',
    );
  }
}

/** Unpacks a member piece by piece and compares its length and SHA-256 with the manifest. */
async function checkMember(
  zip: ZipReaderHandle,
  { name, size, sha256: expected }: Pick<Manifest['members'][number], 'name' | 'size' | 'sha256'>,
  onBytes: (read: number) => void,
): Promise<MemberResult> {
  const hash = sha256.create();
  let received = 0;
  try {
    const exists = await zip.read(
      name,
      (chunk) => {
        received += chunk.length;
        // A member that unpacks to more than it should is not read to its end.
        if (received > size) throw new RangeError('Too long');
        hash.update(chunk);
      },
      onBytes,
    );
    if (!exists) return 'missing';
  } catch (thrown) {
    rethrowReadError(thrown);
    return received > size ? 'different' : 'damaged';
  }
  return received === size && bytesToHex(hash.digest()) === expected ? 'matches' : 'different';
}

async function hashFile(file: Blob, onBytes: (read: number) => void): Promise<string> {
  const hash = sha256.create();
  for await (const chunk of readChunks(file, onBytes)) hash.update(chunk);
  return bytesToHex(hash.digest());
}

/**
 * Compares each member of a backup with the manifest in the archive (shapes 3). The file is read in pieces and never held as a whole.
 * `knownHash` is the SHA-256 of the file if a download has computed it already. `onProgress` receives a share from 0 to 1.
 * @throws UncheckableFileError when the file is no backup, is cut off, or has no readable manifest; DOMException when it cannot be read
 */
export async function checkBackup(
  file: Blob,
  knownHash: string | undefined,
  onProgress: (share: number) => void,
): Promise<CheckReport> {
  const total = Math.max(1, knownHash === undefined ? file.size * 2 : file.size);
  const zip = await openArchive(file);
  const { members, format: _, ...manifest } = await readManifest(zip);
  const hash = knownHash ?? (await hashFile(file, (read) => onProgress(read / total)));
  let done = knownHash === undefined ? file.size : 0;
  const checked: CheckedMember[] = [];
  for (const { title, rows, ...member } of members) {
    // One after the other: a member is as large as the disk allows.
    const result = await checkMember(zip, member, (read) => onProgress((done + read) / total));
    checked.push({ ...member, title: title ?? undefined, rows: rows ?? undefined, result });
    done += zip.getPackedBytes(member.name);
    onProgress(done / total);
  }
  const listed = new Set([MANIFEST_NAME, ...members.map(({ name }) => name)]);
  for (const name of new Set(zip.paths)) if (!listed.has(name)) checked.push({ name, result: 'unlisted' });
  const isFailure = ({ result }: CheckedMember) => result !== 'matches';
  return {
    sha256: hash,
    manifest,
    members: [...checked.filter(isFailure), ...checked.filter((one) => !isFailure(one))],
  };
}
