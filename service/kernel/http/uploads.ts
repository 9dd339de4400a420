import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../api-error.ts';
import { parseJson } from './json.ts';

/** A file of a multipart request, on disk until the request ends: a handler that keeps the file moves or copies it. */
export interface UploadedFile {
  path: string;
  /** Name given by the client; only for display. */
  name: string;
  size: number;
  /** SHA-256 of the content. */
  hash: Buffer;
}

const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_MODEL_BYTES = 32 * 1024 * 1024;
const MAX_PART_BYTES = Math.max(MAX_FILE_BYTES, MAX_MODEL_BYTES);
const MAX_FILES = 1000;

/** Accepts multipart forms within the limits; `parseMultipartForm` reads them. */
export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: {
      fileSize: MAX_PART_BYTES,
      files: MAX_FILES + 1,
      fields: 0,
      parts: MAX_FILES + 1,
      fieldNameSize: 100,
    },
    throwFileSizeLimit: false,
    // Also for the model: otherwise the plugin would parse it as JSON without the limits of parseJson.
    isPartAFile: () => true,
  });
}

/** Writes a file and computes its hash. */
async function writeFileWithHash(stream: Readable, path: string): Promise<{ size: number; hash: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(stream, meter, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  return { size, hash: hash.digest() };
}

/** Parses the part `model` like any JSON body. */
async function parseModel(request: FastifyRequest, { file }: MultipartFile): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  if (file.truncated) throw new ApiError(413, `model: at most ${MAX_MODEL_BYTES} bytes`);
  return parseJson(request, Buffer.concat(chunks));
}

async function saveFile({ file, filename }: MultipartFile, path: string): Promise<UploadedFile> {
  const { size, hash } = await writeFileWithHash(file, path);
  if (size > MAX_FILE_BYTES)
    throw new ApiError(413, `${filename || 'A file'}: at most ${MAX_FILE_BYTES} bytes`);
  return { path, name: filename ?? '', size, hash };
}

/** Whether a part has neither the name nor the media type of a file. */
const isTextField = ({ filename, mimetype }: MultipartFile) =>
  filename === undefined && mimetype !== 'application/octet-stream';

/** Gives errors of the multipart parser, for malformed or truncated forms, the status 400. */
const toFormError = (error: unknown): unknown =>
  error instanceof Error && /multipart|boundary/i.test(error.message) && !('code' in error)
    ? new ApiError(
        400,
        'The form cannot be read: it is incomplete, or its boundary differs from the one in Content-Type',
      )
    : error;

async function parseParts(
  request: FastifyRequest,
  folder: string,
): Promise<{ model: unknown; files: UploadedFile[] }> {
  const files: UploadedFile[] = [];
  let model: unknown;
  for await (const part of request.files()) {
    const { fieldname } = part;
    if (fieldname === 'model') {
      if (model !== undefined) throw badRequest([{ path: 'model', message: 'is given twice' }]);
      model = await parseModel(request, part);
    } else if (isTextField(part))
      throw badRequest([{ path: fieldname, message: 'is not a part of this form' }]);
    else files.push(await saveFile(part, join(folder, String(files.length))));
  }
  if (model === undefined) throw badRequest([{ path: 'model', message: 'is required' }]);
  return { model, files };
}

/**
 * Reads a multipart form: the part `model` contains the body as JSON, every other part is a file (shapes 4). The files are stored in
 * a temporary folder until `discard` is called.
 * @throws ApiError 400 for a malformed form or one without a model, 413 beyond a limit
 */
export async function parseMultipartForm(
  request: FastifyRequest,
  dataDir: string,
): Promise<{ model: unknown; files: UploadedFile[]; discard: () => Promise<void> }> {
  const folder = join(dataDir, 'uploads', randomUUID());
  const discard = () => rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return { ...(await parseParts(request, folder)), discard };
  } catch (error) {
    await discard();
    throw toFormError(error);
  }
}
