/** Uploads of the items of jobs in tests. */
import { createHash } from 'node:crypto';
import type { JobPart } from '../../contract/generated/types.gen.ts';
import type { ApiClient, Reply } from './calls.ts';

/** A part of the items of a job as it is sent. */
export interface UploadPart {
  part: number;
  firstItem: number;
  /** The request body. */
  text: string;
  sha256: string;
}

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Divides items into parts of `size` items. */
export function divideIntoParts(items: readonly object[], size: number): UploadPart[] {
  const parts: UploadPart[] = [];
  for (let offset = 0; offset < items.length; offset += size) {
    const text = JSON.stringify({ items: items.slice(offset, offset + size) });
    parts.push({ part: parts.length + 1, firstItem: offset + 1, text, sha256: hashText(text) });
  }
  return parts;
}

/** Sends a part of the items of a job. */
export const putPart = <Body = JobPart>(
  api: ApiClient,
  jobId: number,
  { part, firstItem, text, sha256 }: UploadPart,
): Promise<Reply<Body>> =>
  api.put<Body>(`jobs/${jobId}/parts/${part}?firstItem=${firstItem}&sha256=${sha256}`, text);

/**
 * Uploads the items of a job that was started with `uploadsItems`, and submits it. Returns the reply of `submitJob`.
 * @throws Error when a part is refused
 */
export async function uploadItems<Body>(
  api: ApiClient,
  jobId: number,
  items: readonly object[],
  size = 1_000,
): Promise<Reply<Body>> {
  const parts = divideIntoParts(items, size);
  for (const part of parts) {
    const { status, text } = await putPart(api, jobId, part);
    if (status !== 200) throw new Error(`Part ${part.part} was refused: ${text}`);
  }
  return api.post<Body>(`jobs/${jobId}/submit`, { parts: parts.map(({ sha256 }) => sha256) });
}
