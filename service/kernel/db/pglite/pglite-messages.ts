/** Messages between the PGlite worker thread and the thread that sends statements to it. Buffers are transferred, not copied. */

/** `statement`: the encoded protocol messages of one statement. */
export type WorkerRequest = { id: number; statement: Uint8Array<ArrayBuffer> } | { id: number; close: true };

/** `reply`: the protocol messages from PGlite, including errors it reports; `failure`: why PGlite gave no reply. */
export type WorkerReply = { id: number; reply: Uint8Array<ArrayBuffer> } | { id: number; failure: string };

export type WorkerMessage = { ready: true } | WorkerReply;

/** Copies the chunks into one buffer of its own, which can be transferred to another thread. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
