import { open, mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Upload } from '../../kernel/http/uploads.ts';

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
const HEAD = 16;

/** Raster images may be shown in a page; a picture that can hold a script is none of them. */
export const isRaster = (type: string): boolean => type.startsWith('image/');

function typeOf(head: Buffer): string {
  const hex = head.toString('hex');
  const found = SIGNATURES.find(({ at, bytes }) => hex.startsWith(bytes, at * 2));
  // WebP is one of several formats in this container.
  if (found?.type === 'image/webp' && !hex.startsWith('52494646')) return 'application/octet-stream';
  return found?.type ?? 'application/octet-stream';
}

/** The media type of a file by its first bytes, whatever its name or its sender says. */
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
