import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../../api-error.ts';
import type { CheckedBody } from './read-body.ts';
import { acceptForm } from './refused-bodies.ts';

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
/** Upper bound of all files of a form together. */
const MAX_FORM_BYTES = 256 * 1024 * 1024;

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
    // Also for the model: otherwise the plugin would parse it as JSON without the limits of readJsonBody.
    isPartAFile: () => true,
  });
}

/** Opens the file of an upload; replaced in tests. */
type OpenFile = (path: string) => Writable;

/** Flushes to the disk before closing: a handler that keeps the file need not, and a full disk is noticed here. */
const openFile: OpenFile = (path) => createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true });

/**
 * Writes a file and computes its hash.
 * @throws ApiError 413 as soon as the file is larger than `maxBytes`
 */
async function writeFileWithHash(
  stream: Readable,
  output: Writable,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: string },
): Promise<{ size: number; hash: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      if (size > maxBytes) done(new ApiError(413, tooLarge));
      else done(null, chunk);
    },
  });
  const closed = new Promise((resolve) => output.once('close', resolve));
  try {
    await pipeline(stream, meter, output);
  } catch (error) {
    // A file that is still being opened would appear after its folder was deleted.
    await closed;
    throw error;
  }
  return { size, hash: hash.digest() };
}

/** Reads JSON like that of any other body. */
type ReadModel = (bytes: Buffer) => Promise<CheckedBody>;

async function parseModel({ file }: MultipartFile, readModel: ReadModel): Promise<CheckedBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) chunks.push(chunk as Buffer);
  if (file.truncated) throw new ApiError(413, `model: at most ${MAX_MODEL_BYTES} bytes`);
  return readModel(Buffer.concat(chunks));
}

async function saveFile(
  { file, filename }: MultipartFile,
  { path, open, remainingBytes }: { path: string; open: OpenFile; remainingBytes: number },
): Promise<UploadedFile> {
  const tooLarge =
    remainingBytes < MAX_FILE_BYTES
      ? `The files of the form: at most ${MAX_FORM_BYTES} bytes together. Send them in several requests.`
      : `${filename || 'A file'}: at most ${MAX_FILE_BYTES} bytes`;
  const maxBytes = Math.min(MAX_FILE_BYTES, remainingBytes);
  const { size, hash } = await writeFileWithHash(file, open(path), { maxBytes, tooLarge });
  return { path, name: filename ?? '', size, hash };
}

/** Whether a part has neither the name nor the media type of a file. */
const isTextField = ({ filename, mimetype }: MultipartFile) =>
  filename === undefined && mimetype !== 'application/octet-stream';

/** Gives errors of the multipart parser a status and a text: 400 for malformed or truncated forms, 413 for too many parts. */
function toFormError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error;
  if ('statusCode' in error && error.statusCode === 413)
    return new ApiError(413, `The form has more than ${MAX_FILES} files`);
  return /multipart|boundary/i.test(error.message) && !('code' in error)
    ? new ApiError(
        400,
        'The form cannot be read: it is incomplete, or its boundary differs from the one in Content-Type',
      )
    : error;
}

/** How the parts of a form are read. */
interface FormReaders {
  readModel: ReadModel;
  open: OpenFile;
}

async function parseParts(
  request: FastifyRequest,
  folder: string,
  { readModel, open }: FormReaders,
): Promise<{ model: CheckedBody; files: UploadedFile[] }> {
  const files: UploadedFile[] = [];
  let remainingBytes = MAX_FORM_BYTES;
  let model: CheckedBody | undefined;
  for await (const part of request.files()) {
    const { fieldname } = part;
    if (fieldname === 'model') {
      if (model !== undefined) throw badRequest([{ path: 'model', message: 'is given twice' }]);
      model = await parseModel(part, readModel);
    } else if (isTextField(part))
      throw badRequest([{ path: fieldname, message: 'is not a part of this form' }]);
    else {
      const file = await saveFile(part, { path: join(folder, String(files.length)), open, remainingBytes });
      remainingBytes -= file.size;
      files.push(file);
    }
  }
  if (model === undefined) throw badRequest([{ path: 'model', message: 'is required' }]);
  return { model, files };
}

const getUploadsFolder = (dataDir: string): string => join(dataDir, 'uploads');

/** Deletes temporary files of requests that ended with their process, from before a time. */
export async function deleteAbandonedUploads(dataDir: string, before: Date): Promise<void> {
  const names = await readdir(getUploadsFolder(dataDir)).catch(() => []);
  for (const name of names) {
    const path = join(getUploadsFolder(dataDir), name);
    const folder = await stat(path).catch(() => undefined);
    if (folder && folder.mtime < before) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Reads a multipart form: the part `model` contains the body as JSON, every other part is a file (shapes 4). The files are stored in
 * a temporary folder until `discard` is called.
 * @throws ApiError 400 for a malformed form or one without a model, 413 beyond a limit; the error of a full disk. Nothing
 *   stays on the disk then.
 */
export async function parseMultipartForm(
  request: FastifyRequest,
  dataDir: string,
  readModel: ReadModel,
  open: OpenFile = openFile,
): Promise<{ model: CheckedBody; files: UploadedFile[]; discard: () => Promise<void> }> {
  acceptForm(request);
  const folder = join(getUploadsFolder(dataDir), randomUUID());
  const discard = () => rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return { ...(await parseParts(request, folder, { readModel, open })), discard };
  } catch (error) {
    await discard();
    throw toFormError(error);
  }
}
