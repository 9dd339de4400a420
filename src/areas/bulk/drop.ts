/** Where the browser keeps long work until it is cleared: bulk changes, imports, exported files. */
export const DATABASE = 'steward-bulk';

/** Removes all of it, at sign-out: it names people. Open tabs give them up as soon as they are asked. */
export function dropBulkJobs(): Promise<void> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(DATABASE);
      for (const end of ['success', 'error'] as const) request.addEventListener(end, () => resolve());
    } catch {
      // A browser that keeps nothing.
      resolve();
    }
  });
}
