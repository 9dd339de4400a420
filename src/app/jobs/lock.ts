const releases = new Map<string, () => void>();

/** The page that a reload replaces may hold its locks a moment longer. */
const GOING_MS = 1000;

/** Takes a job for this tab until it closes; false while another tab has it. A browser without locks has one tab. */
export function takeJob(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise<void>((release) => releases.set(id, release));
    };
    const signal = AbortSignal.timeout(GOING_MS);
    navigator.locks.request(`steward-bulk-${id}`, { signal }, hold).catch(() => resolve(false));
  });
}

export function releaseJob(id: string): void {
  releases.get(id)?.();
  releases.delete(id);
}
