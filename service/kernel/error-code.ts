/** The `code` of an error: the name of a system or socket error (`ENOENT`), or the SQLSTATE of a driver. */
export const getErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Error codes of a write to a full disk, or beyond the disk quota of the process's user. */
const DISK_FULL_CODES = new Set<string | undefined>(['ENOSPC', 'EDQUOT']);

/** Whether an operation on a file failed because the disk is full. */
export const isDiskFull = (error: unknown): boolean => DISK_FULL_CODES.has(getErrorCode(error));

/** Sentence about a file that a full disk ended after these bytes. */
export function describeFullDisk(bytes: number): string {
  const megabytes = new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1e6);
  return `The disk of the service is full: ${megabytes} MB were written and have been deleted.`;
}
