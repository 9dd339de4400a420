/** Where downloads lie that the person was not asked a place for, in the browser's own storage. */
export const FOLDER = 'backups';

/** Removes them: who signs out leaves no backup in the browser (T01). */
export async function dropDownloads(): Promise<void> {
  try {
    const root = await navigator.storage.getDirectory();
    await root.removeEntry(FOLDER, { recursive: true });
  } catch {
    // There is none, or this browser has no such storage.
  }
}
