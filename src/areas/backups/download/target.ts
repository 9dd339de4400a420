import { holdKept, sweepKept } from './kept.ts';
import type { Target } from './sink.ts';

interface PickerOptions {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}

declare global {
  interface Window {
    /** In Chromium alone, and only on a secure address. */
    showSaveFilePicker?: (options: PickerOptions) => Promise<FileSystemFileHandle>;
  }
}

const ZIP = [{ description: 'Backup', accept: { 'application/zip': ['.zip'] } }];
// Beside the file itself, the browser copies it when it is handed over.
const COPIES = 2;

/** How this browser can save a large file: to a place that one chooses, by way of its own room, or by itself alone. */
export type Way = 'chosen' | 'kept' | 'browser';

const hasRoom = async (size: number): Promise<boolean> => {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  return quota - usage > size * COPIES;
};

/**
 * Where to write a file of this size; asks the person where the browser can ask. Undefined: they turned back.
 * The first thing of a press of a button, for the browser asks only then.
 */
export async function chooseTarget(name: string, size: number): Promise<Target | 'browser' | undefined> {
  if (window.showSaveFilePicker) {
    try {
      return { kind: 'chosen', file: await window.showSaveFilePicker({ suggestedName: name, types: ZIP }) };
    } catch (thrown) {
      if (thrown instanceof DOMException && thrown.name === 'AbortError') return undefined;
    }
  }
  if (!isSecureContext || !('locks' in navigator) || !('getDirectory' in navigator.storage)) return 'browser';
  try {
    await sweepKept();
    if (!(await hasRoom(size))) return 'browser';
  } catch {
    // A private window may refuse its room.
    return 'browser';
  }
  const kept = crypto.randomUUID();
  holdKept(kept);
  return { kind: 'kept', name: kept };
}

/** The way that a press of the button would take, as far as that is known before. */
export const wayOfThisBrowser = (): Way => {
  if (window.showSaveFilePicker) return 'chosen';
  return isSecureContext && 'storage' in navigator && 'getDirectory' in navigator.storage
    ? 'kept'
    : 'browser';
};
