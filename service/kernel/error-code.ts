/** The `code` of an error: the name of a system or socket error (`ENOENT`), or the SQLSTATE of a driver. */
export const getErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
