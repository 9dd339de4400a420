// What a file unpacks to beyond this is no table (a bomb of zeros packs to a thousandth, and lies about it).
const MOST_BYTES = 300 * 1024 ** 2;

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const stream: ReadableStream<Uint8Array> = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  for (const reader = stream.getReader(); ;) {
    // oxlint-disable-next-line no-await-in-loop -- a stream
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES) throw new Error('The file unpacks to more than its directory says');
    parts.push(new Uint8Array(value));
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The bytes of a job; what comes before it is the text that a worker would be made of. */
function bytesOf(message: unknown): Uint8Array<ArrayBuffer> | undefined {
  const first: unknown = Array.isArray(message) ? message[0] : undefined;
  return first instanceof Uint8Array ? new Uint8Array(first) : undefined;
}

/**
 * What stands in for `Worker` where sheets are read. The library unpacks what is large in workers that it makes from text,
 * which the page's CSP refuses (`worker-src 'self'`); the browser's own stream does the same without one.
 */
export class StandIn {
  onmessage: ((event: { data: unknown }) => void) | null = null;

  postMessage(message: unknown): void {
    const bytes = bytesOf(message);
    if (!bytes) return;
    void unpacked(bytes).then(
      (data) => this.onmessage?.({ data }),
      (fault: unknown) => this.onmessage?.({ data: { $e$: [String(fault), 0, ''] } }),
    );
  }

  /** Nothing goes on after its one answer. */
  terminate(): void {}
}
