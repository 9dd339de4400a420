import { expose } from 'comlink';
import { standIn } from '../../export/stand-in.ts';
import { createDesk } from './desk.ts';

Object.assign(globalThis, { Worker: standIn(() => new DecompressionStream('deflate-raw')) });

const desk = createDesk();

/** The desk beside the page: a file is read here, so that its bytes never pass through the page. */
const api = {
  ...desk,
  open: async (file: Blob, onProgress: (share: number) => void) =>
    desk.open(new Uint8Array(await file.arrayBuffer()), onProgress),
};

export type EntriesWorker = typeof api;

expose(api);
