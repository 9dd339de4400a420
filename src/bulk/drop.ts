/** Where the browser keeps jobs until they are cleared. */
export const DATABASE = 'steward-bulk';

/** Removes the kept jobs, at sign-out: they name people. Open tabs give them up as soon as they are asked. */
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
