/**
 * Calls `write` for one batch of rows after the other, in order. PostgreSQL limits a statement to 65,535 parameters, and small
 * statements block the embedded database for a short time only.
 */
export async function forEachBatch<T>(
  rows: readonly T[],
  size: number,
  write: (batch: readonly T[], offset: number) => Promise<unknown>,
): Promise<void> {
  for (let offset = 0; offset < rows.length; offset += size) {
    await write(rows.slice(offset, offset + size), offset);
  }
}
