import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { imageSize } from 'image-size';
import { getErrorCode } from '../../../kernel/error-code.ts';
import type { UploadedFile } from '../../../kernel/http/uploads.ts';

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

/** Path of the content with this SHA-256 hash, in one of 256 folders by the first byte. */
export function getContentPath(dataDir: string, hash: Buffer): string {
  const hex = hash.toString('hex');
  return join(dataDir, 'files', hex.slice(0, 2), hex);
}

/**
 * Stores the content of an upload, which is flushed to the disk already, under its hash, once. It is called before the
 * database row that refers to it is committed; the modification time is renewed, so that `removeContent` keeps the content
 * until the transaction of the upload has ended. Can be repeated with the same upload.
 */
export async function storeContent(dataDir: string, upload: UploadedFile): Promise<void> {
  const path = getContentPath(dataDir, upload.hash);
  const existing = await stat(path).catch(() => undefined);
  if (existing?.size === upload.size && (await renewContent(dataDir, upload.hash))) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rename(upload.path, path);
}

/**
 * Sets the modification time of a stored content, by default to now, so that `removeContent` keeps it for its full time.
 * @returns whether the content exists
 */
export async function renewContent(dataDir: string, hash: Buffer, modifiedAt = new Date()): Promise<boolean> {
  try {
    await utimes(getContentPath(dataDir, hash), modifiedAt, modifiedAt);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Hashes, as hexadecimal text, of the stored contents whose hash begins with this byte. */
export async function listStoredHashes(dataDir: string, firstByte: number): Promise<string[]> {
  const folder = dirname(getContentPath(dataDir, Buffer.from([firstByte])));
  const names = await readdir(folder).catch(ignoreNotFound);
  return (names ?? []).filter((name) => HASH.test(name));
}

/**
 * Removes a content that has not been modified since `before`. It is first moved aside and then checked: a concurrent
 * `storeContent` either finds no content and stores its own, or has renewed this one, which is then moved back. An
 * interrupted removal is completed by `finishRemovals`.
 */
export async function removeContent(dataDir: string, hash: string, before: Date): Promise<void> {
  const path = getContentPath(dataDir, Buffer.from(hash, 'hex'));
  const modified = await stat(path).catch(ignoreNotFound);
  if (!modified || modified.mtime >= before) return;
  await mkdir(getRemovalFolder(dataDir), { recursive: true, mode: 0o700 });
  await rename(path, join(getRemovalFolder(dataDir), hash)).catch(ignoreNotFound);
  await finishRemoval(dataDir, hash, before);
}

/** Completes removals that were interrupted, by a crash for instance. */
export async function finishRemovals(dataDir: string, before: Date): Promise<void> {
  const names = await readdir(getRemovalFolder(dataDir)).catch(ignoreNotFound);
  for (const name of names ?? []) {
    // There are few, if any.
    await finishRemoval(dataDir, name, before);
  }
}

async function finishRemoval(dataDir: string, hash: string, before: Date): Promise<void> {
  const aside = join(getRemovalFolder(dataDir), hash);
  const modified = await stat(aside).catch(ignoreNotFound);
  if (!modified) return;
  if (modified.mtime < before) await rm(aside, { force: true });
  // Replaces a content that was stored again in the meantime by the same bytes.
  else await rename(aside, getContentPath(dataDir, Buffer.from(hash, 'hex'))).catch(ignoreNotFound);
}

const HASH = /^[0-9a-f]{64}$/;

/** Contents that are being removed; on the same file system, so that moving one is atomic. */
const getRemovalFolder = (dataDir: string): string => join(dataDir, 'files', 'removing');

const isNotFound = (error: unknown): boolean => getErrorCode(error) === 'ENOENT';

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
