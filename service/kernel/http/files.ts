import { basename, dirname } from 'node:path';
import { pipeline, Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import send from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/** A file that an answer carries. Its path comes from the database, never from the request (T10). */
export interface FileAnswer {
  /** Absolute. */
  path: string;
  /** Media type, decided by the service and not by whoever sent the file. */
  type: string;
  /** Name under which a browser saves it; any text. */
  name: string;
  /** Shown in the page instead of saved: only for what cannot run (T20). */
  inline: boolean;
  /** Strong validator with its quotes: the same bytes have the same one. */
  etag: string;
  /** Told when the answer is over, however it ended: what of the file was sent, and whether its last byte was. */
  sent?: (part: { bytes: number; isLast: boolean }) => Promise<void>;
}

/** The two forms of RFC 6266: plain letters for old readers, and the name itself. */
function disposition({ inline, name }: FileAnswer): string {
  const plain = name.replaceAll(/[^\w. ()-]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Whether the header names this version: `*`, or one of a list, weak or strong. */
const names = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === '*' || each === etag);

/** The stream with its bytes counted; one that is cut off is told with what went out before. */
function counted(
  { request, reply, stream }: { request: FastifyRequest; reply: FastifyReply; stream: Readable },
  sent: NonNullable<FileAnswer['sent']>,
  contentRange: string | undefined,
): Readable {
  const [, last, size] = /-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? [];
  const reachesEnd = contentRange === undefined || Number(last) + 1 === Number(size);
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
      () => sent({ bytes, isLast: reachesEnd }),
      () => sent({ bytes, isLast: false }),
    )
    .catch((error: unknown) =>
      request.log.error({ err: error, requestId: request.id }, 'What was sent could not be written down'),
    );
  return counter;
}

/**
 * Streams a file: whole, one range of it (206), nothing when the reader has it already (304), or 416. What is sent is
 * never taken for a page: no sniffing, no scripts, no frames.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileAnswer,
): Promise<FastifyReply> {
  reply.headers({
    etag: file.etag,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': disposition(file),
    'cache-control': 'private, no-cache',
  });
  if (names(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  // A range of another version would be glued to the wrong bytes: the whole file then (RFC 9110 13.1.5).
  const sameVersion = !('if-range' in request.headers) || request.headers['if-range'] === file.etag;
  const asked = {
    method: 'GET',
    headers: sameVersion && request.headers.range !== undefined ? { range: request.headers.range } : {},
  };
  const sent = await send(Object.assign(Readable.from([]), asked), encodeURIComponent(basename(file.path)), {
    root: dirname(file.path),
    dotfiles: 'allow',
    etag: false,
    lastModified: false,
    cacheControl: false,
    contentType: false,
  });
  if (sent.statusCode === 404) throw new Error(`The file ${file.path} is gone from the disk`);
  const { 'Content-Length': length, 'Content-Range': range } = sent.headers;
  if (sent.statusCode === 416) {
    // What is answered is no file: neither its name nor its version.
    reply.removeHeader('content-disposition').removeHeader('etag');
    throw new ApiError(416, 'The file has no such range', [], range ? { 'content-range': range } : {});
  }
  if (length !== undefined) reply.header('content-length', length);
  if (range !== undefined) reply.header('content-range', range);
  const stream =
    file.sent && sent.statusCode < 300
      ? counted({ request, reply, stream: sent.stream }, file.sent, range)
      : sent.stream;
  return reply.code(sent.statusCode).type(file.type).send(stream);
}
