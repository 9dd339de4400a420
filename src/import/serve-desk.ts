import { expose } from 'comlink';
import type { Opened } from './board.ts';

export interface FileDesk {
  /** Opens a file, of a workbook one sheet; its bytes never pass through the page. */
  open: (file: Blob, onProgress: (share: number) => void, sheet?: number) => Promise<Opened>;
}

/** Puts a desk beside the page, in the worker that this is called in. */
export const serveDesk = (desk: FileDesk): void => expose(desk);
