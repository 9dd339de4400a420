import { expose } from 'comlink';
import { createDesk } from './desk.ts';

const desk = createDesk();

/** The desk beside the page: a file is read here, so that its bytes never pass through the page. */
const api = {
  ...desk,
  open: async (file: Blob, onProgress: (share: number) => void) =>
    desk.open(new Uint8Array(await file.arrayBuffer()), onProgress),
};

export type ImportWorker = typeof api;

expose(api);
