import { open } from 'node:fs/promises';
import { dirname } from 'node:path/posix';
import { imageSize } from 'image-size';
import pLimit from 'p-limit';
import { type Db, type Tx, withTransaction } from '../../../kernel/db/database.ts';
import type { BlobStore, StagedBlob } from '../../../kernel/files/blob-store.ts';
import type { UploadedFile } from '../../../kernel/http/bodies/uploads.ts';
import { lockContents, tryLockUnusedContent } from './files.store.ts';

/** Media types detected by the content itself (T20); everything else is `application/octet-stream`. */
const SIGNATURES: readonly { type: string; at: number; bytes: string }[] = [
  { type: 'image/png', at: 0, bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', at: 0, bytes: 'ffd8ff' },
  { type: 'image/gif', at: 0, bytes: '474946383761' },
  { type: 'image/gif', at: 0, bytes: '474946383961' },
  { type: 'image/webp', at: 8, bytes: '57454250' },
  { type: 'application/pdf', at: 0, bytes: '255044462d' },
  { type: 'application/zip', at: 0, bytes: '504b0304' },
];
/** Bytes read to find the dimensions of an image: a JPEG has them after its camera metadata. */
const IMAGE_HEADER_BYTES = 1 << 19;
/** Larger images can exhaust the memory of a browser, however small their file (T20). */
const MAX_IMAGE_PIXELS = 40_000_000;

const BINARY_TYPE = 'application/octet-stream';

/** Whether a page may display the type inline; SVG, which can contain scripts, is not detected as an image. */
export const isRaster = (type: string): boolean => type.startsWith('image/');

function detectType(head: Buffer): string {
  const hex = head.toString('hex', 0, 16);
  const found = SIGNATURES.find(({ at, bytes }) => hex.startsWith(bytes, at * 2));
  // WebP files are RIFF containers, whose signature precedes the type.
  if (found?.type === 'image/webp' && !hex.startsWith('52494646')) return BINARY_TYPE;
  if (found && isRaster(found.type) && !isDisplayableImage(head)) return BINARY_TYPE;
  return found?.type ?? BINARY_TYPE;
}

/** Whether the header of an image has valid dimensions within the pixel limit. */
function isDisplayableImage(head: Buffer): boolean {
  try {
    const { width, height } = imageSize(head);
    return width > 0 && height > 0 && width * height <= MAX_IMAGE_PIXELS;
  } catch {
    return false;
  }
}

/**
 * Detects the media type of a file by its content; its name and the declared type are ignored. Invalid images and those of
 * more than 40 million pixels are `application/octet-stream`.
 */
export async function detectMediaType(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(IMAGE_HEADER_BYTES), 0, IMAGE_HEADER_BYTES, 0);
    return detectType(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Name of the content with this SHA-256 hash, in one of 256 folders by the first byte. */
export function getContentName(hash: Buffer): string {
  const hex = hash.toString('hex');
  return `files/${hex.slice(0, 2)}/${hex}`;
}

/** Contents that are sent to the store, or published, at the same time. */
const PARALLEL_CONTENTS = 4;

/** A content on its way into the store. */
interface StagedContent {
  upload: UploadedFile;
  staged: StagedBlob;
}

/** Contents that are sent; at the end of their scope what was sent is removed, and what was published stays. */
interface StagedContents extends AsyncDisposable {
  contents: readonly StagedContent[];
}

/**
 * Sends the contents of uploads to the store; `storeContents` publishes them. The bytes are sent before the transaction begins, because
 * others wait for its locks.
 */
export async function stageContents(
  blobs: BlobStore,
  uploads: readonly UploadedFile[],
): Promise<StagedContents> {
  const limit = pLimit(PARALLEL_CONTENTS);
  const contents: StagedContent[] = [];
  const discard = async () => {
    await limit.map(contents, ({ staged }) => staged.discard());
  };
  const outcomes = await Promise.allSettled(
    uploads.map((upload) =>
      limit(async () => {
        const { path, size, hash } = upload;
        contents.push({ upload, staged: await blobs.stage({ path, size, sha256: hash }) });
      }),
    ),
  );
  const failure = outcomes.find(({ status }) => status === 'rejected');
  if (failure?.status !== 'rejected') return { contents, [Symbol.asyncDispose]: discard };
  await discard();
  throw failure.reason;
}

/**
 * Stores contents under their hashes, once. Called in the transaction that refers to them, after all of its checks; their times are
 * renewed, so that `removeContent` keeps them until the transaction has ended. Can be repeated with the same contents.
 */
export async function storeContents(tx: Tx, blobs: BlobStore, { contents }: StagedContents): Promise<void> {
  if (contents.length === 0) return;
  await lockContents(
    tx,
    contents.map(({ upload }) => upload.hash),
  );
  await pLimit(PARALLEL_CONTENTS).map(contents, async ({ upload, staged }) => {
    const name = getContentName(upload.hash);
    const existing = await blobs.renew(name);
    if (existing?.size !== upload.size) await staged.publish(name);
  });
}

/**
 * Renews the time of a stored content in the transaction that refers to it, so that `removeContent` keeps it.
 * @returns whether the content exists
 */
export async function renewContent(tx: Tx, blobs: BlobStore, hash: Buffer): Promise<boolean> {
  await lockContents(tx, [hash]);
  return (await blobs.renew(getContentName(hash))) !== undefined;
}

/** Hashes, as hexadecimal text, of the stored contents whose hash begins with this byte. */
export async function listStoredHashes(blobs: BlobStore, firstByte: number): Promise<string[]> {
  const folder = dirname(getContentName(Buffer.from([firstByte])));
  const names = await Array.fromAsync(blobs.list(`${folder}/`));
  return names.map((name) => name.slice(folder.length + 1)).filter((name) => HASH.test(name));
}

/**
 * Removes a content that belongs to no file and has not been renewed since `before`. Uploads of the same content wait, and one that runs
 * already keeps the content: it is left for the next time.
 */
export async function removeContent(
  { db, blobs }: { db: Db; blobs: BlobStore },
  hash: string,
  before: Date,
): Promise<void> {
  const bytes = Buffer.from(hash, 'hex');
  const name = getContentName(bytes);
  await withTransaction(db, {}, async (tx) => {
    if (!(await tryLockUnusedContent(tx, bytes))) return;
    const info = await blobs.stat(name);
    if (info && info.modifiedAt < before) await blobs.delete(name);
  });
}

const HASH = /^[0-9a-f]{64}$/;
