import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { actingHeader, endSession, gate } from '../../../api/session-gate.ts';
import type { Holder } from '../../../api/session-gate.ts';

/** A file for a field of an entry. */
export interface Upload {
  typeId: number;
  entryId: number;
  fieldId: number;
  file: File;
}

/** Largest file that the service takes. */
export const LARGEST = 25 * 1024 * 1024;

/** What is wrong with a file before it is sent; undefined where nothing is. */
export function whyNotSent({ size, name }: Pick<File, 'size' | 'name'>): string | undefined {
  if (name.length > 255) return 'Its name has more than 255 characters';
  if (size === 0) return 'It is empty';
  return size > LARGEST ? `It is larger than ${LARGEST / 1024 / 1024} MB` : undefined;
}

/** The request of shapes 4: the part `model` says what the file is for, the file follows. */
export function formOf({ entryId, fieldId, file }: Upload): FormData {
  const form = new FormData();
  const contentType = file.type === '' ? {} : { contentType: file.type };
  form.append(
    'model',
    JSON.stringify({ binaryStoreRequests: [{ entryId, fieldId, name: file.name, ...contentType }] }),
  );
  form.append('files', file, file.name);
  return form;
}

/** Sends one after the other, since each changes the same value; who is taken out of `waiting` meanwhile is left out. */
export async function inTurn<One extends { id: number }>(
  all: readonly One[],
  waiting: Set<number>,
  send: (one: One) => Promise<void>,
): Promise<void> {
  for (const { id } of all) waiting.add(id);
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const one of all) if (waiting.delete(one.id)) await send(one);
}

function failureOf(request: XMLHttpRequest): ServiceError {
  const headers = new Headers();
  const id = request.getResponseHeader('x-request-id');
  if (id !== null) headers.set('x-request-id', id);
  let body: unknown = undefined;
  try {
    body = JSON.parse(request.responseText);
  } catch {
    // A proxy in between answers with what it likes.
  }
  return toServiceError(body, new Response(null, { status: request.status, headers }));
}

/**
 * Sends a file and tells how much of it has arrived, from 0 to 1: what `fetch` does not tell of a request.
 * @throws ServiceError, also where it was stopped
 */
export function sendFile(
  upload: Upload,
  holder: Holder,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (gate.get() !== 'open') {
      reject(new ServiceError(401, 'The session has ended'));
      return;
    }
    const request = new XMLHttpRequest();
    request.open('PUT', `/console/api/rest/v4/data/entrydata/${upload.typeId}`);
    request.setRequestHeader('X-Steward-Console', '1');
    request.setRequestHeader(...actingHeader(holder));
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      if (request.status === 200) {
        resolve();
        return;
      }
      if (request.status === 401) endSession();
      reject(failureOf(request));
    });
    request.addEventListener('error', () => reject(new ServiceError(0, 'The service cannot be reached')));
    request.addEventListener('abort', () => reject(new ServiceError(0, 'The upload was stopped')));
    signal.addEventListener('abort', () => request.abort());
    request.send(formOf(upload));
  });
}
