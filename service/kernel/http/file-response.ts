import { basename, dirname } from 'node:path';
import { pipeline, Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import send from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import { matchesEtag } from './parameters.ts';

/** A file as the body of a response. Its path comes from the database, never from the request (T10). */
export interface FileResponse {
  /** Absolute path. */
  path: string;
  /** Media type, determined by the service and not by the uploader. */
  type: string;
  /** Name under which a browser saves the file; any text. */
  name: string;
  /** Whether browsers may display the file instead of saving it; only for types that cannot contain scripts (T20). */
  inline: boolean;
  /** Strong entity tag with quotes; the same for the same bytes. */
  etag: string;
  /** When the file became what it is. */
  lastModified?: Date | undefined;
  /** Called at the end of the response, successful or not: bytes sent, and whether the last byte of the file was among them. */
  onSent?: (part: { bytes: number; isLast: boolean }) => Promise<void>;
}

/** A file that is created while it is sent; its length is not known before. */
export interface DownloadResponse {
  /** Media type. */
  type: string;
  /** Name under which a browser saves the file; any text. */
  name: string;
  /** Ended early when the client disconnects. */
  chunks: AsyncIterable<string | Uint8Array>;
}

/** Headers that prevent browsers from treating a file as a page: no sniffing, no scripts, no frames. */
const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/** Streams a download. An error after the first chunk breaks the connection, so that no part is taken for the whole. */
export const sendDownload = (reply: FastifyReply, { type, name, chunks }: DownloadResponse): FastifyReply =>
  reply
    .code(200)
    .headers({
      ...FILE_HEADERS,
      'content-disposition': formatContentDisposition({ inline: false, name }),
      'cache-control': 'no-store',
    })
    .type(type)
    .send(Readable.from(chunks));

/** Content-Disposition with both forms of RFC 6266: an ASCII name for old clients and the exact name. */
function formatContentDisposition({ inline, name }: Pick<FileResponse, 'inline' | 'name'>): string {
  const asciiName = name.replaceAll(/[^\w. ()-]/g, '_');
  const encodedName = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inline ? 'inline' : 'attachment'}; filename="${asciiName}"; filename*=UTF-8''${encodedName}`;
}

/** Counts the bytes of the stream and calls `onSent` at the end of the response, also of one that was interrupted. */
function countBytes(
  { request, reply, stream }: { request: FastifyRequest; reply: FastifyReply; stream: Readable },
  onSent: NonNullable<FileResponse['onSent']>,
  contentRange: string | undefined,
): Readable {
  const [, lastByte, size] = /-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? [];
  const reachesEnd = contentRange === undefined || Number(lastByte) + 1 === Number(size);
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  pipeline(stream, counter, () => {});
  finished(reply.raw)
    .then(
      () => onSent({ bytes, isLast: reachesEnd }),
      () => onSent({ bytes, isLast: false }),
    )
    .catch((error: unknown) => request.log.error({ err: error }, 'Recording a download failed'));
  return counter;
}

/**
 * Streams a file: completely (200), one range (206), nothing if the client has this version (304), or 416. Headers prevent browsers
 * from treating it as a page: no sniffing, no scripts, no frames.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileResponse,
): Promise<FastifyReply> {
  reply.headers({
    etag: file.etag,
    'accept-ranges': 'bytes',
    ...(file.lastModified && { 'last-modified': file.lastModified.toUTCString() }),
    ...FILE_HEADERS,
    'content-disposition': formatContentDisposition(file),
    'cache-control': 'private, no-cache',
  });
  if (matchesEtag(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  // A range of another version would be combined with the wrong bytes: the whole file is sent then (RFC 9110 13.1.5).
  const isSameVersion = !('if-range' in request.headers) || request.headers['if-range'] === file.etag;
  const { range: requestedRange } = request.headers;
  const sendRequest = {
    method: 'GET',
    headers: isSameVersion && requestedRange !== undefined ? { range: requestedRange } : {},
  };
  const fileName = encodeURIComponent(basename(file.path));
  const result = await send(Object.assign(Readable.from([]), sendRequest), fileName, {
    root: dirname(file.path),
    dotfiles: 'allow',
    etag: false,
    lastModified: false,
    cacheControl: false,
    contentType: false,
  });
  if (result.statusCode === 404) throw new Error(`The file ${file.path} is missing`);
  const { 'Content-Length': length, 'Content-Range': range } = result.headers;
  if (result.statusCode === 416) {
    // An error response has neither the name nor the version of the file.
    reply.removeHeader('content-disposition').removeHeader('etag').removeHeader('last-modified');
    throw new ApiError(416, 'The file has no such range', [], range ? { 'content-range': range } : {});
  }
  if (length !== undefined) reply.header('content-length', length);
  if (range !== undefined) reply.header('content-range', range);
  const stream =
    file.onSent && result.statusCode < 300
      ? countBytes({ request, reply, stream: result.stream }, file.onSent, range)
      : result.stream;
  return reply.code(result.statusCode).type(file.type).send(stream);
}
