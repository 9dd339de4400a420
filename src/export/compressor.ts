async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The bytes of a job; what comes before it is the text that a worker would be made of. */
function bytesOf(message: unknown): Uint8Array<ArrayBuffer> | undefined {
  const first: unknown = Array.isArray(message) ? message[0] : undefined;
  return first instanceof Uint8Array ? new Uint8Array(first) : undefined;
}

/**
 * Stands in for `Worker` where sheets are written. The library packs what is large in workers that it makes from text,
 * which the page's CSP refuses (`worker-src 'self'`); the browser's own compressor does the same without one.
 */
export class Compressor {
  onmessage: ((event: { data: unknown }) => void) | null = null;

  postMessage(message: unknown): void {
    const bytes = bytesOf(message);
    if (!bytes) return;
    void deflate(bytes).then(
      (data) => this.onmessage?.({ data }),
      (fault: unknown) => this.onmessage?.({ data: { $e$: [String(fault), 0, ''] } }),
    );
  }

  /** Nothing goes on after its one answer. */
  terminate(): void {}
}
