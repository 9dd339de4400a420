const DAY = 86_400_000;

/** How long and how much is kept; the page of exports says so. */
export const RECORD_DAYS = 30;
export const FILE_DAYS = 7;
export const MOST_BYTES = 200_000_000;

/** A sheet has so many rows, its heading included; what is more goes on in another one. */
export const SHEET_ROWS = 1_048_576;

interface Kept {
  id: string;
  at: string;
  size: number;
  isFileKept: boolean;
}

/** What is beyond the limits, of exports with the latest first: records too old, and files too old or too many. */
export function toDrop(exports: readonly Kept[], now: number): { records: Set<string>; files: Set<string> } {
  const records = new Set<string>();
  const files = new Set<string>();
  let bytes = 0;
  for (const { id, at, size, isFileKept } of exports) {
    const age = now - Date.parse(at);
    if (age > RECORD_DAYS * DAY) records.add(id);
    else if (isFileKept) {
      if (age > FILE_DAYS * DAY || bytes + size > MOST_BYTES) files.add(id);
      else bytes += size;
    }
  }
  return { records, files };
}
