const releases = new Map<string, () => void>();

/** Takes a job for this tab until it closes; false while another tab has it. A browser without locks has one tab. */
export function takeJob(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    void navigator.locks.request(`steward-bulk-${id}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise<void>((release) => releases.set(id, release));
    });
  });
}

export function releaseJob(id: string): void {
  releases.get(id)?.();
  releases.delete(id);
}
