import { keptFolder } from './sink.ts';

const LOCK = 'steward-backup-';

/** Keeps a file of this tab from being swept by another one, for as long as this tab lives. */
export function holdKept(name: string): void {
  void navigator.locks.request(`${LOCK}${name}`, () => new Promise(() => undefined));
}

/** The file that was downloaded into the browser's own room. */
export const keptFile = async (name: string): Promise<File> =>
  (await (await keptFolder()).getFileHandle(name)).getFile();

export const dropKept = async (name: string): Promise<void> => (await keptFolder()).removeEntry(name);

/** Removes what tabs left that were closed; a backup must not stay in the browser longer than it is needed. */
export async function sweepKept(): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  const names = new Set(held.map(({ name }) => name));
  const folder = await keptFolder();
  for await (const name of folder.keys())
    // One that is being written this moment is locked and stays.
    if (!names.has(`${LOCK}${name}`)) await folder.removeEntry(name).catch(() => undefined);
}
