import { expose } from 'comlink';
import type { Opened } from './board.ts';
import type { Reading } from '../../files/read-table.ts';

export interface FileDesk {
  /** Opens a file; its bytes never pass through the page. */
  open: (file: Blob, onProgress: (share: number) => void, as?: Reading) => Promise<Opened>;
}

/** Puts a desk beside the page, in the worker that this is called in. */
export const serveDesk = (desk: FileDesk): void => expose(desk);
