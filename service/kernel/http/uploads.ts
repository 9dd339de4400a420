import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multipart from '@fastify/multipart';
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
const MAX_FILES = 1000;

export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: {
      fileSize: MAX_FILE,
      fieldSize: MAX_MODEL,
      files: MAX_FILES,
      fields: 1,
      parts: MAX_FILES + 1,
      fieldNameSize: 100,
    },
    throwFileSizeLimit: false,
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

/**
 * Reads a form: the part `model` holds the body as JSON, every other part is a file (shapes 4). The files lie in a
 * folder of their own until `discard` is called.
 * @throws ApiError 400 without a model, 413 beyond a limit
 */
export async function readForm(
  request: FastifyRequest,
  dataDir: string,
): Promise<{ model: unknown; files: Upload[]; discard: () => Promise<void> }> {
  const folder = join(dataDir, 'uploads', randomUUID());
  const files: Upload[] = [];
  let model: unknown;
  const discard = () => rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.fieldname !== 'model')
          throw invalid([{ path: part.fieldname, message: 'is not a part of this form' }]);
        if (part.valueTruncated) throw new ApiError(413, `model: at most ${MAX_MODEL} bytes`);
        model = readJson(request, Buffer.from(String(part.value)));
      } else {
        const path = join(folder, String(files.length));
        const { size, hash } = await store(part.file, path);
        const name = part.filename ?? '';
        if (part.file.truncated)
          throw new ApiError(413, `${name || `File ${files.length + 1}`}: at most ${MAX_FILE} bytes`);
        files.push({ path, name, size, hash });
      }
    }
  } catch (error) {
    await discard();
    throw error;
  }
  if (model === undefined) {
    await discard();
    throw invalid([{ path: 'model', message: 'is required' }]);
  }
  return { model, files, discard };
}
