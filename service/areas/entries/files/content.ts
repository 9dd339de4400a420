import { open, mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { imageSize } from 'image-size';
import type { Upload } from '../../../kernel/http/uploads.ts';

/** Types that are told by the content itself (T20); everything else is bytes. */
const SIGNATURES: readonly { type: string; at: number; bytes: string }[] = [
  { type: 'image/png', at: 0, bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', at: 0, bytes: 'ffd8ff' },
  { type: 'image/gif', at: 0, bytes: '474946383761' },
  { type: 'image/gif', at: 0, bytes: '474946383961' },
  { type: 'image/webp', at: 8, bytes: '57454250' },
  { type: 'application/pdf', at: 0, bytes: '255044462d' },
  { type: 'application/zip', at: 0, bytes: '504b0304' },
];
/** So far into a file its size as a picture is looked for: a JPEG has it after what the camera says. */
const HEAD = 1 << 19;
/** A picture of more pixels takes a browser's memory, however small its file (T20). */
const MOST_PIXELS = 40_000_000;

const PLAIN = 'application/octet-stream';

/** Raster images may be shown in a page; a picture that can hold a script is none of them. */
export const isRaster = (type: string): boolean => type.startsWith('image/');

function typeOf(head: Buffer): string {
  const hex = head.toString('hex', 0, 16);
  const found = SIGNATURES.find(({ at, bytes }) => hex.startsWith(bytes, at * 2));
  // WebP is one of several formats in this container.
  if (found?.type === 'image/webp' && !hex.startsWith('52494646')) return PLAIN;
  if (found && isRaster(found.type) && !isShowable(head)) return PLAIN;
  return found?.type ?? PLAIN;
}

/** Whether a picture says how large it is, and is not too large to be shown. */
function isShowable(head: Buffer): boolean {
  try {
    const { width, height } = imageSize(head);
    return width > 0 && height > 0 && width * height <= MOST_PIXELS;
  } catch {
    return false;
  }
}

/**
 * The media type of a file by its content, whatever its name or its sender says. What begins as a picture and is none, or
 * one of more than 40 million pixels, is bytes.
 */
export async function mediaTypeOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return typeOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Where the content with this hash lies: under its hash, in one of 256 folders. */
export function contentPath(dataDir: string, hash: Buffer): string {
  const hex = hash.toString('hex');
  return join(dataDir, 'files', hex.slice(0, 2), hex);
}

/**
 * Keeps the content of an upload under its hash, once. It is on the disk before any row names it; content that no row
 * names in the end stays behind unseen, and the same content takes its place when it comes again.
 */
export async function keepContent(dataDir: string, upload: Upload): Promise<void> {
  const path = contentPath(dataDir, upload.hash);
  const there = await stat(path).catch(() => undefined);
  if (there?.size === upload.size) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(upload.path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(upload.path, path);
}
