import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, invalid } from './errors.ts';
import { readJson } from './json.ts';

/** A file of a multipart request, on disk until the request is answered: who keeps it moves or copies it. */
export interface Upload {
  path: string;
  /** As the sender names it; only text to show. */
  name: string;
  size: number;
  /** SHA-256 of the content. */
  hash: Buffer;
}

const MAX_FILE = 25 * 1024 * 1024;
const MAX_MODEL = 32 * 1024 * 1024;
const MAX_PART = Math.max(MAX_FILE, MAX_MODEL);
const MAX_FILES = 1000;

export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: MAX_PART, files: MAX_FILES + 1, fields: 0, parts: MAX_FILES + 1, fieldNameSize: 100 },
    throwFileSizeLimit: false,
    // The model as well, whatever its sender calls it: else the form reads it as JSON, without our bounds.
    isPartAFile: () => true,
  });
}

/** Writes one file and takes its hash on the way. */
async function store(stream: Readable, path: string): Promise<{ size: number; hash: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(stream, measure, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  return { size, hash: hash.digest() };
}

/** The model of a form, read as any other body. */
async function readModel(request: FastifyRequest, { file }: MultipartFile): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of file) pieces.push(piece as Buffer);
  if (file.truncated) throw new ApiError(413, `model: at most ${MAX_MODEL} bytes`);
  return readJson(request, Buffer.concat(pieces));
}

async function readFile({ file, filename }: MultipartFile, path: string): Promise<Upload> {
  const { size, hash } = await store(file, path);
  if (size > MAX_FILE) throw new ApiError(413, `${filename || 'A file'}: at most ${MAX_FILE} bytes`);
  return { path, name: filename ?? '', size, hash };
}

/** A part that its sender gave neither the name nor the type of a file. */
const isValue = ({ filename, mimetype }: MultipartFile) =>
  filename === undefined && mimetype !== 'application/octet-stream';

/** What the reader of forms says of a form that is none, or that ends too early, has no status. */
const ofTheForm = (error: unknown): unknown =>
  error instanceof Error && /multipart|boundary/i.test(error.message) && !('code' in error)
    ? new ApiError(
        400,
        'The form cannot be read: it is cut off, or its boundary is not the one that is named',
      )
    : error;

async function readParts(
  request: FastifyRequest,
  folder: string,
): Promise<{ model: unknown; files: Upload[] }> {
  const files: Upload[] = [];
  let model: unknown;
  for await (const part of request.files()) {
    const { fieldname } = part;
    if (fieldname === 'model') {
      if (model !== undefined) throw invalid([{ path: 'model', message: 'is there twice' }]);
      model = await readModel(request, part);
    } else if (isValue(part)) throw invalid([{ path: fieldname, message: 'is not a part of this form' }]);
    else files.push(await readFile(part, join(folder, String(files.length))));
  }
  if (model === undefined) throw invalid([{ path: 'model', message: 'is required' }]);
  return { model, files };
}

/**
 * Reads a form: the part `model` holds the body as JSON, every other part is a file (shapes 4). The files lie in a
 * folder of their own until `discard` is called.
 * @throws ApiError 400 for what is no form and without a model, 413 beyond a limit
 */
export async function readForm(
  request: FastifyRequest,
  dataDir: string,
): Promise<{ model: unknown; files: Upload[]; discard: () => Promise<void> }> {
  const folder = join(dataDir, 'uploads', randomUUID());
  const discard = () => rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return { ...(await readParts(request, folder)), discard };
  } catch (error) {
    await discard();
    throw ofTheForm(error);
  }
}
