/** Writes rows a piece at a time, in their order: a statement takes 65,535 parameters, and a small one is soon over. */
export async function inPieces<T>(
  rows: readonly T[],
  size: number,
  write: (piece: readonly T[], offset: number) => Promise<unknown>,
): Promise<void> {
  for (let offset = 0; offset < rows.length; offset += size) {
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    await write(rows.slice(offset, offset + size), offset);
  }
}
