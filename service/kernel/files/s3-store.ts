/** Blobs as objects of a bucket of an S3-compatible store. Loaded only where BLOB_STORE=s3: the client takes time and memory. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Settings } from '../config.ts';
import {
  type BlobInfo,
  type BlobStore,
  type LocalFile,
  requireBlobName,
  STAGING_PREFIX,
  StoreFullError,
  StoreUnavailableError,
} from './blob-store.ts';

/** Time for a request without a body, its retries included. */
const REQUEST_LIMIT_MS = 10_000;
/** Time for a file besides the one that its bytes take, and the bytes per millisecond that a store must accept at least. */
const PUT_LIMIT_MS = 30_000;
const MIN_PUT_RATE = 250;
const CONNECTION_TIMEOUT_MS = 3_000;
/** Longest silence of a connection; a client that reads a download more slowly continues it by a range. */
const IDLE_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
/** More than the downloads that a process sends at a time: each holds a connection. */
const MAX_CONNECTIONS = 500;

/** Larger files are sent in parts, of which two are in memory. */
const PART_BYTES = 8 << 20;
const PARALLEL_PARTS = 2;
/** The format allows 10,000 parts. */
const MAX_PARTS = 9_000;

/** A blob that is this much younger than asked is not renewed: a renewal copies it, and blobs are kept for several days. */
const RENEWAL_TOLERANCE_MS = 86_400_000;

/** Error codes of stores that accept no more bytes: MinIO, Ceph, and the status 507 of others. */
const FULL_CODES = new Set(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage', 'StorageFull']);

const isStatus = (error: unknown, status: number): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === status;

const isMissing = (error: unknown): boolean =>
  isStatus(error, 404) && !(error instanceof Error && error.name === 'NoSuchBucket');

type ObjectAddress = Record<'Bucket' | 'Key', string>;

/** An error of the client as one of the service. */
function toStoreError(error: unknown): Error {
  if (error instanceof StoreFullError || error instanceof StoreUnavailableError) return error;
  const isFull = isStatus(error, 507) || (error instanceof Error && FULL_CODES.has(error.name));
  return isFull
    ? new StoreFullError('The store of files is full', { cause: error })
    : new StoreUnavailableError(error);
}

/** Runs a call of the client, which must end within a time. @throws StoreUnavailableError, StoreFullError */
async function withinLimit<T>(limitMs: number, call: (limit: AbortController) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  // Not AbortSignal.timeout: the body of an answer may take longer.
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await call(limit);
  } catch (error) {
    if (limit.signal.aborted)
      throw new StoreUnavailableError(new Error(`no answer within ${limitMs} ms`, { cause: error }));
    throw toStoreError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Passes the file on. @throws StoreUnavailableError at its end when its bytes are not those of its hash; nothing is visible then */
async function* readVerified({ path, sha256 }: LocalFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer);
    yield chunk as Buffer;
  }
  requireHash(hash.digest(), sha256);
}

function requireHash(found: Buffer, expected: Buffer): void {
  if (!found.equals(expected))
    throw new StoreUnavailableError(new Error('A file changed on the disk before it was stored'));
}

/** Creates the access to a bucket. Nothing is connected yet. Tests shorten the limit of requests. */
export function createS3Store(
  settings: S3Settings,
  { requestLimitMs = REQUEST_LIMIT_MS }: { requestLimitMs?: number } = {},
): BlobStore {
  const { bucket, prefix, endpoint, region, usesPathStyle, accessKeyId, secretAccessKey } = settings;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: usesPathStyle,
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    maxAttempts: MAX_ATTEMPTS,
    // Stores other than that of AWS do not know the checksums that its client adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      httpAgent: { maxSockets: MAX_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_CONNECTIONS },
    },
  });
  const start = prefix === '' ? '' : `${prefix}/`;
  const at = (name: string) => ({ Bucket: bucket, Key: `${start}${requireBlobName(name)}` });

  /** Runs a request without a body; undefined if the blob does not exist. */
  const askFor = <T>(send: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T | undefined> =>
    withinLimit(requestLimitMs, async ({ signal }) => {
      try {
        return await send({ abortSignal: signal });
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });

  async function find(name: string): Promise<BlobInfo | undefined> {
    const command = new HeadObjectCommand(at(name));
    const head = await askFor((options) => client.send(command, options));
    return head && { name, size: head.ContentLength ?? 0, modifiedAt: head.LastModified ?? new Date(0) };
  }

  async function put(name: string, file: LocalFile): Promise<void> {
    const target = at(name);
    await withinLimit(PUT_LIMIT_MS + file.size / MIN_PUT_RATE, (limit) =>
      file.size <= PART_BYTES ? putWhole(target, file, limit) : putParts(target, file, limit),
    );
  }

  async function putWhole(
    target: ObjectAddress,
    file: LocalFile,
    { signal }: AbortController,
  ): Promise<void> {
    const bytes = await readFile(file.path);
    requireHash(createHash('sha256').update(bytes).digest(), file.sha256);
    const content = { Body: bytes, ChecksumSHA256: file.sha256.toString('base64') };
    await client.send(new PutObjectCommand({ ...target, ...content }), { abortSignal: signal });
  }

  /** Parts that a process leaves when it dies are never visible; a rule of the bucket removes them (docs/deploying.md). */
  async function putParts(target: ObjectAddress, file: LocalFile, limit: AbortController): Promise<void> {
    const upload = new Upload({
      client,
      params: { ...target, Body: Readable.from(readVerified(file), { objectMode: false }) },
      partSize: Math.max(PART_BYTES, Math.ceil(file.size / MAX_PARTS)),
      queueSize: PARALLEL_PARTS,
      abortController: limit,
    });
    await upload.done();
  }

  /** Copies a blob within the store; onto itself it gets the time of now. @returns whether it exists */
  async function copy(from: string, to: string): Promise<boolean> {
    const source = { CopySource: `${bucket}/${at(from).Key}`, MetadataDirective: 'REPLACE' as const };
    const command = new CopyObjectCommand({ ...at(to), ...source });
    return (await askFor((options) => client.send(command, options))) !== undefined;
  }

  async function remove(name: string): Promise<void> {
    const command = new DeleteObjectCommand(at(name));
    await askFor((options) => client.send(command, options));
  }

  return {
    kind: 's3',
    place: `s3://${bucket}/${prefix}`.replace(/\/$/, ''),
    put,
    async stage(file) {
      const name = `${STAGING_PREFIX}${crypto.randomUUID()}`;
      await put(name, file);
      return {
        async publish(target) {
          if (!(await copy(name, target)))
            throw new StoreUnavailableError(new Error('A staged file is missing'));
        },
        discard: () => remove(name).catch(() => undefined),
      };
    },
    stat: find,
    async read(name, range) {
      const part = range && { Range: `bytes=${range.start}-${range.end}` };
      const command = new GetObjectCommand({ ...at(name), ...part });
      const answer = await askFor((options) => client.send(command, options));
      if (!(answer?.Body instanceof Readable)) throw new Error(`The blob ${name} is missing`);
      return answer.Body;
    },
    async renew(name, moment = new Date()) {
      const info = await find(name);
      if (!info || info.modifiedAt.getTime() >= moment.getTime() - RENEWAL_TOLERANCE_MS) return info;
      return (await copy(name, name)) ? { ...info, modifiedAt: new Date() } : undefined;
    },
    getLocalPath: () => undefined,
    delete: remove,
    async *list(namePrefix) {
      let token: string | undefined;
      do {
        const position = token === undefined ? {} : { ContinuationToken: token };
        const page = await withinLimit(requestLimitMs, ({ signal }) =>
          client.send(
            new ListObjectsV2Command({
              Bucket: bucket,
              Prefix: `${start}${namePrefix}`,
              Delimiter: '/',
              ...position,
            }),
            { abortSignal: signal },
          ),
        );
        for (const { Key: key = '' } of page.Contents ?? []) yield key.slice(start.length);
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    close: () => client.destroy(),
  };
}
