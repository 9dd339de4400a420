import { expose } from 'comlink';
import type { Opened } from './board.ts';
import { StandIn } from './stand-in.ts';

export interface FileDesk {
  open: (bytes: Uint8Array<ArrayBuffer>, onProgress: (share: number) => void) => Promise<Opened>;
}

/** A desk as the page has it: it takes a file, so that its bytes never pass through the page. */
export type Served<Of extends FileDesk> = Omit<Of, 'open'> & {
  open: (file: Blob, onProgress: (share: number) => void) => Promise<Opened>;
};

/** Puts a desk beside the page, in the worker that this is called in. */
export function serveDesk(desk: FileDesk): void {
  Object.assign(globalThis, { Worker: StandIn });
  const served: Served<FileDesk> = {
    ...desk,
    open: async (file, onProgress) => desk.open(new Uint8Array(await file.arrayBuffer()), onProgress),
  };
  expose(served);
}
