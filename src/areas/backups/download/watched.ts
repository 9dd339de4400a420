const KEY = 'steward-backups-watched';

/** The backups that this tab follows, for the time after a reload. */
export function watchedNames(): string[] {
  const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
  return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string') : [];
}

export const keepWatched = (fileName: string): void =>
  sessionStorage.setItem(KEY, JSON.stringify([...new Set([...watchedNames(), fileName])]));

export const dropWatched = (fileName: string): void =>
  sessionStorage.setItem(KEY, JSON.stringify(watchedNames().filter((name) => name !== fileName)));
