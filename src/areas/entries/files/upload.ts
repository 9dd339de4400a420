import { ServiceError, toServiceError, UnknownOutcomeError } from '../../../api/errors.ts';
import { getActingHeader, markSessionEnded, sessionState } from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';

/** A file to upload into a field of an entry. */
export interface Upload {
  typeId: number;
  entryId: number;
  fieldId: number;
  file: File;
}

/** Largest file the service accepts. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;

/** Error of a file that the service would refuse; undefined if there is none. */
export function getUploadError({ size, name }: Pick<File, 'size' | 'name'>): string | undefined {
  if (name.length > 255) return 'The name has more than 255 characters';
  if (size === 0) return 'The file is empty';
  return size > MAX_FILE_BYTES ? `The file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB` : undefined;
}

/** Builds the multipart form: the part `model` describes the file, which follows (shapes 4). */
export function buildUploadForm({ entryId, fieldId, file }: Upload): FormData {
  const form = new FormData();
  const contentType = file.type === '' ? {} : { contentType: file.type };
  form.append(
    'model',
    JSON.stringify({ binaryStoreRequests: [{ entryId, fieldId, name: file.name, ...contentType }] }),
  );
  form.append('files', file, file.name);
  return form;
}

/** Uploads files one after the other, since each changes the same value. Removing an id from `waiting` cancels it. */
export async function uploadSequentially<Item extends { id: number }>(
  items: readonly Item[],
  waiting: Set<number>,
  upload: (item: Item) => Promise<void>,
): Promise<void> {
  for (const { id } of items) waiting.add(id);
  // Sequential by design.
  for (const item of items) if (waiting.delete(item.id)) await upload(item);
}

const UNKNOWN_OUTCOME = 'It is unknown whether the file was stored';

function toUploadError(request: XMLHttpRequest): ServiceError {
  const headers = new Headers();
  const id = request.getResponseHeader('x-request-id');
  if (id !== null) headers.set('x-request-id', id);
  let body: unknown = undefined;
  try {
    body = JSON.parse(request.responseText);
  } catch {
    // A reverse proxy may answer without JSON.
  }
  const error = toServiceError(body, new Response(null, { status: request.status, headers }));
  const isLost = body === undefined && (request.status === 502 || request.status === 504);
  return isLost ? new UnknownOutcomeError(error.status, `${error.message}. ${UNKNOWN_OUTCOME}`) : error;
}

/**
 * Uploads a file and reports the progress from 0 to 1; `fetch` has no upload progress.
 * @throws ServiceError also if aborted
 */
export function uploadFile(
  upload: Upload,
  identity: SessionIdentity,
  onProgress: (progress: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (sessionState.get() !== 'open') {
      reject(new ServiceError(401, 'The session has ended'));
      return;
    }
    const request = new XMLHttpRequest();
    request.open('PUT', `/console/api/rest/v4/data/entrydata/${upload.typeId}`);
    request.setRequestHeader('X-Steward-Console', '1');
    request.setRequestHeader(...getActingHeader(identity));
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      if (request.status === 200) {
        resolve();
        return;
      }
      if (request.status === 401) markSessionEnded();
      reject(toUploadError(request));
    });
    request.addEventListener('error', () => {
      reject(new UnknownOutcomeError(0, `The connection was lost. ${UNKNOWN_OUTCOME}`));
    });
    request.addEventListener('abort', () => reject(new ServiceError(0, 'The upload was stopped')));
    signal.addEventListener('abort', () => request.abort());
    request.send(buildUploadForm(upload));
  });
}
