/**
 * Files that are too large for the database and that all processes of an installation share: contents of files of entries, backups, files
 * of jobs. They are in a folder or in an S3-compatible store (BLOB_STORE, docs/decisions/0082).
 */
import type { Readable } from 'node:stream';
import { ApiError } from '../api-error.ts';

/** A complete file on the disk of this process, flushed. */
export interface LocalFile {
  path: string;
  /** Bytes. */
  size: number;
  sha256: Buffer;
}

export interface BlobInfo {
  name: string;
  /** Bytes. */
  size: number;
  /** Time of the last `put` or `renew`. */
  modifiedAt: Date;
}

/** The first and the last byte of a part of a blob. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A file on its way into the store, which nobody sees yet. */
export interface StagedBlob {
  /** Makes the file visible under a name, without sending its bytes again. Can be repeated. */
  publish(name: string): Promise<void>;
  /** Removes what was sent, whether it was published or not. Does not throw. */
  discard(): Promise<void>;
}

/**
 * Stores blobs under names such as `files/a0/a0b1…`. A name is visible with all of its bytes or not at all, also when the process dies.
 * Every method throws `StoreUnavailableError` (503) when the store does not answer in time or refuses, and an error for which `isDiskFull`
 * is true (507) when it is full.
 */
export interface BlobStore {
  readonly kind: 'folder' | 's3';
  /** Where the blobs are, for people: `/var/lib/steward`, `s3://bucket/prefix`. */
  readonly place: string;
  /**
   * Stores a file under a name and replaces what has the name. Afterwards the local file may be gone.
   * @throws Error when the bytes of the file are not those of its hash, as far as the store reads them
   */
  put(name: string, file: LocalFile): Promise<void>;
  /** Sends a file, so that `publish` is short: a transaction should not wait for the bytes. */
  stage(file: LocalFile): Promise<StagedBlob>;
  /** Undefined if no blob has the name. */
  stat(name: string): Promise<BlobInfo | undefined>;
  /** Streams a blob or a part of it. @throws Error if it does not exist, at the latest while it is read */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /**
   * Sets the time of a blob, so that tasks that delete old ones keep it. A store that cannot set a time in the past sets a later one.
   * @param at by default now
   * @returns the blob; undefined if it does not exist
   */
  renew(name: string, at?: Date): Promise<BlobInfo | undefined>;
  /** Path of a blob on this machine; undefined if its bytes must be fetched. */
  getLocalPath(name: string): string | undefined;
  /** Deletes a blob, if it exists. */
  delete(name: string): Promise<void>;
  /** Names of the blobs that start like this and have no further slash. */
  list(prefix: string): AsyncIterable<string>;
  /** Closes idle connections. */
  close(): void;
}

/** Start of the names of files that are sent but not published; a task deletes those that a process left when it died. */
export const STAGING_PREFIX = 'staged/';

/** Names given by the service: no empty, hidden or parent folder (T10). */
const NAME = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

export const isBlobName = (name: string): boolean => NAME.test(name);

/** @throws Error for a name that the service cannot have given */
export function requireBlobName(name: string): string {
  if (!isBlobName(name)) throw new Error(`${name} is not the name of a blob`);
  return name;
}

const RETRY_SECONDS = 5;

/** 503: the store does not answer, or refuses the service. The cause is logged; callers learn only that they can try again. */
export class StoreUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super(503, 'The store of files is not available right now', [], { 'retry-after': String(RETRY_SECONDS) });
    this.cause = cause;
  }
}

/** The store accepts no more bytes. `isDiskFull` knows it by its code. */
export class StoreFullError extends Error {
  override name = 'StoreFullError';
  readonly code = 'ENOSPC';
}

/** Why the store failed, for operators. */
export function describeStoreError(error: unknown): string {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === 'Error' || cause.message.includes(cause.name)
    ? cause.message
    : `${cause.name}: ${cause.message}`;
}
