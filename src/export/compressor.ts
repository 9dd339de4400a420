interface Job {
  data: [Uint8Array<ArrayBuffer>, unknown];
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/**
 * Stands in for `Worker` where sheets are written. The library packs what is large in workers that it makes from text,
 * which the page's CSP refuses (`worker-src 'self'`); the browser's own compressor does the same without one.
 */
export class Compressor {
  onmessage: ((event: { data: unknown }) => void) | null = null;

  postMessage([bytes]: Job['data']): void {
    void deflate(bytes).then(
      (data) => this.onmessage?.({ data }),
      (fault: unknown) => this.onmessage?.({ data: { $e$: [String(fault), 0, ''] } }),
    );
  }

  /** Nothing goes on after its one answer. */
  terminate(): void {}
}
