import {
  AnnotationMode,
  getDocument,
  InvalidPDFException,
  PasswordException,
  PasswordResponses,
  PDFDataRangeTransport,
  PDFWorker,
  TextLayer,
  VerbosityLevel,
  version,
} from 'pdfjs-dist';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { isCodeMissingError } from '../../lib/code-missing.ts';
import { rejectOnWorkerError, startWorker } from '../../lib/start-worker.ts';
import { PIXELS_PER_POINT } from './page-layout.ts';
import type { Size } from './page-layout.ts';
import { readDestination, readOutline, readPageLink } from './pdf-links.ts';
import type { OutlineItem, PdfPageLink } from './pdf-links.ts';
// The bundler creates this module.
// oxlint-disable-next-line import/default
import workerUrl from './pdf-worker.ts?worker&url';
import { createRangeQueue } from './range-queue.ts';
import { createStallTimer } from './stall-timer.ts';

/** The version of a file. */
interface PdfVersion {
  /** Hexadecimal. */
  sha256: string;
  /** Since when the file is what it is. */
  unchangedSince: Date | undefined;
}

/** A file whose bytes are read in parts. */
export interface PdfSource {
  /** Name of the file. */
  name: string;
  /** Bytes. */
  size: number;
  /** What is known of the version that is read, from its first part; undefined where nothing is. */
  version?: Promise<PdfVersion>;
  /** Reads the bytes from `begin` to before `end`. Rejects if the file is no longer the same. */
  read: (begin: number, end: number, signal: AbortSignal) => Promise<Uint8Array>;
}

/** Larger files are not shown. */
const MAX_FILE_BYTES = 200 * 2 ** 20;
/** Documents with more pages are not shown. */
const MAX_PAGES = 5000;
/** Images with more pixels are left out; one would need 400 MB. */
const MAX_IMAGE_PIXELS = 100_000_000;
/** Larger images are reduced in the worker. */
const MAX_IMAGE_BYTES = 2 ** 24 * 4;
/** Bytes of one request. */
const RANGE_BYTES = 2 ** 18;
/** The worker is terminated after this time without any progress. */
const STALL_TIMEOUT_MS = 20_000;
/** Time for the worker to end by itself. */
const CLOSE_TIMEOUT_MS = 1000;

/** Files of pdf.js that only some documents need (scripts/pdf-files.ts). */
const getFilesUrl = (folder: string) => `${location.origin}/assets/pdfjs-${version}/${folder}/`;

/** A file that cannot be shown, with a reason for the user. */
class PdfError extends Error {}

/** What a file contains that the viewer does not carry out. */
export interface InactiveContent {
  hasForm: boolean;
  /** The form is in XFA, which other programs show instead of the pages. */
  isXfa: boolean;
  hasScripts: boolean;
  attachments: number;
}

/** An open document. Work on it rejects with a `PdfError` after the worker was terminated. */
export interface PdfDocument {
  pageCount: number;
  /** Size of the first page at zoom 1, which the others probably have. */
  firstPageSize: Size;
  getPage: (index: number) => Promise<PDFPageProxy>;
  /** The text items of a page, as the text layer shows them. */
  getTextItems: (index: number) => Promise<readonly TextItem[]>;
  /** Reads the last page; `onLastPageMissing` is called if the file has none at the end of its list of pages. */
  checkLastPage: () => void;
  getOutline: () => Promise<readonly OutlineItem[]>;
  getInactiveContent: () => Promise<InactiveContent>;
  getLinks: (page: PDFPageProxy) => Promise<readonly PdfPageLink[]>;
  /** Finds the page of an internal link and the distance from its top as a part of its height. */
  resolve: (
    destination: string | readonly unknown[],
  ) => Promise<{ page: number; fraction: number } | undefined>;
  /** Starts to draw a page; canceling rejects the promise. */
  draw: (
    page: PDFPageProxy,
    canvas: HTMLCanvasElement,
    view: PageView,
  ) => { drawn: Promise<void>; cancel: () => void };
  /** Counts work in which the worker takes part, so that an endless one is noticed. */
  track: <Result>(work: Promise<Result>) => Promise<Result>;
}

interface PageView {
  /** Points to canvas pixels. */
  scale: number;
  /** Degrees, the rotation of the page included. */
  rotation: number;
}

interface TextItem {
  text: string;
  endsLine: boolean;
}

interface OpeningOptions {
  source: PdfSource;
  /**
   * Reads the whole file before it is opened, and its last page: the pages of damaged files are then counted, and their objects
   * searched. Otherwise the file is open as soon as its first page is known.
   */
  isComplete: boolean;
  /** Asks for the password of an encrypted file; `isWrong` after a wrong one. */
  onPasswordNeeded: (submit: (password: string) => void, isWrong: boolean) => void;
  onOpen: (document: PdfDocument) => void;
  /** Called when `checkLastPage` finds that the file should be opened completely. */
  onLastPageMissing: () => void;
  /** Called once, also for a failure after the file was opened. */
  onFailure: (error: Error) => void;
}

class RangeTransport extends PDFDataRangeTransport {
  readonly #read: (begin: number, end: number) => void;

  constructor(size: number, read: (begin: number, end: number) => void) {
    super(size, null);
    this.#read = read;
  }

  override requestDataRange(begin: number, end: number): void {
    this.#read(begin, end);
  }
}

/** Size of a page at zoom 1, without a rotation by the viewer. */
export function getPageSize(page: PDFPageProxy): Size {
  const { width, height } = page.getViewport({ scale: PIXELS_PER_POINT });
  return { width, height };
}

function toPdfError(error: unknown): Error {
  if (error instanceof PdfError || isCodeMissingError(error)) return error as Error;
  if (error instanceof PasswordException)
    return new PdfError('The file is encrypted in a way that is not supported.');
  if (error instanceof InvalidPDFException) return new PdfError('The file is damaged or not a PDF file.');
  return error instanceof Error ? error : new Error(String(error));
}

/** Opens a file in a worker of its own. @returns a function that closes it and ends the worker */
export function openPdf(options: OpeningOptions): () => void {
  const { source, isComplete, onPasswordNeeded, onOpen, onLastPageMissing, onFailure } = options;
  if (source.size > MAX_FILE_BYTES) {
    onFailure(new PdfError(`The file is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB.`));
    return () => undefined;
  }
  const controller = new AbortController();
  const port = startWorker(workerUrl);
  const worker = PDFWorker.create({ port, verbosity: VerbosityLevel.ERRORS });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  const alive = rejectOnWorkerError(port);
  const timer = createStallTimer(STALL_TIMEOUT_MS, () =>
    fail(new PdfError('The file was closed: reading it made no progress for 20 seconds.')),
  );
  // Every answer and every part of a page is a message.
  port.addEventListener('message', timer.recordProgress);

  const read = (begin: number, end: number) => timer.pauseFor(source.read(begin, end, controller.signal));
  const ranges = createRangeQueue({
    read,
    onRange: (begin, bytes) => {
      if (!controller.signal.aborted) transport.onDataRange(begin, bytes);
    },
    onFailure: fail,
  });
  const transport = new RangeTransport(source.size, ranges.request);
  const task = getDocument({
    range: transport,
    worker,
    disableRange: isComplete,
    rangeChunkSize: RANGE_BYTES,
    // Pages are read when they are shown.
    disableAutoFetch: true,
    disableStream: true,
    cMapUrl: getFilesUrl('cmaps'),
    iccUrl: getFilesUrl('iccs'),
    standardFontDataUrl: getFilesUrl('standard_fonts'),
    wasmUrl: getFilesUrl('wasm'),
    maxImageSize: MAX_IMAGE_PIXELS,
    canvasMaxAreaInBytes: MAX_IMAGE_BYTES,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  });

  function close(): void {
    if (controller.signal.aborted) return;
    controller.abort();
    timer.stop();
    const closed = task.destroy().catch(() => undefined);
    const timeout = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS));
    void Promise.race([closed, timeout]).finally(() => {
      worker.destroy();
      port.terminate();
      // Canvases for measuring text, which pdf.js appends to the page.
      TextLayer.cleanup();
    });
  }

  function fail(error: unknown): void {
    if (controller.signal.aborted) return;
    const reason = toPdfError(error);
    broken.reject(reason);
    close();
    // A worker in an endless loop does not end by itself.
    port.terminate();
    onFailure(reason);
  }

  const track = <Result>(work: Promise<Result>): Promise<Result> =>
    timer.track(Promise.race([work, broken.promise]));

  task.onPassword = (submit: (password: string) => void, reason: number) =>
    onPasswordNeeded(submit, reason === PasswordResponses.INCORRECT_PASSWORD);

  const readCompletely = async () => {
    const bytes = await read(0, source.size);
    transport.onDataProgressiveRead(bytes);
    transport.onDataProgressiveDone();
  };

  const open = async () => {
    if (isComplete) readCompletely().catch(fail);
    // Not tracked: the user may take any time for the password.
    const pdf = await Promise.race([alive(task.promise), broken.promise]);
    if (pdf.numPages > MAX_PAGES)
      throw new PdfError(`The file has more than ${MAX_PAGES.toLocaleString()} pages.`);
    const first = await track(pdf.getPage(1));
    const checkLastPage = () => {
      track(pdf.getPage(pdf.numPages)).catch(() => {
        if (!controller.signal.aborted && !isComplete) onLastPageMissing();
      });
    };
    if (!controller.signal.aborted) onOpen(createDocument(pdf, first, { track, checkLastPage }));
  };
  open().catch(fail);
  return close;
}

function createDocument(
  pdf: PDFDocumentProxy,
  first: PDFPageProxy,
  { track, checkLastPage }: Pick<PdfDocument, 'track' | 'checkLastPage'>,
): PdfDocument {
  return {
    pageCount: pdf.numPages,
    firstPageSize: getPageSize(first),
    track,
    checkLastPage,
    getPage: (index) => track(pdf.getPage(index + 1)),
    async getTextItems(index) {
      const page = await track(pdf.getPage(index + 1));
      const { items } = await track(page.getTextContent());
      return items.flatMap((item) => ('str' in item ? [{ text: item.str, endsLine: item.hasEOL }] : []));
    },
    getOutline: async () => readOutline(await track(pdf.getOutline())),
    async getInactiveContent() {
      const [{ info }, hasScripts, attachments] = await track(
        Promise.all([pdf.getMetadata(), pdf.hasJSActions(), pdf.getAttachments()]),
      );
      const { IsAcroFormPresent, IsXFAPresent } = info as Record<string, unknown>;
      return {
        hasForm: IsAcroFormPresent === true,
        isXfa: IsXFAPresent === true,
        hasScripts,
        attachments: attachments?.size ?? 0,
      };
    },
    async getLinks(page) {
      const annotations: readonly unknown[] = await track(page.getAnnotations());
      return annotations.flatMap((annotation) => readPageLink(annotation) ?? []);
    },
    async resolve(destination) {
      const explicit =
        typeof destination === 'string' ? await track(pdf.getDestination(destination)) : destination;
      const target = readDestination(explicit);
      if (!target) return undefined;
      const index =
        typeof target.page === 'number' ? target.page : await track(pdf.getPageIndex(target.page));
      if (!Number.isInteger(index) || index < 0 || index >= pdf.numPages) return undefined;
      if (target.y === undefined) return { page: index, fraction: 0 };
      const viewport = (await track(pdf.getPage(index + 1))).getViewport({ scale: 1 });
      const [, y] = viewport.convertToViewportPoint(0, target.y) as [number, number];
      return { page: index, fraction: Math.min(Math.max(y / viewport.height, 0), 1) };
    },
    draw(page, canvas, { scale, rotation }) {
      const viewport = page.getViewport({ scale, rotation });
      // Form fields are drawn as the file has them; they are no controls.
      const drawing = page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE });
      return { drawn: track(drawing.promise), cancel: () => drawing.cancel() };
    },
  };
}

/** Brings the script of the worker into the cache of the browser while the user moves to a file: its body must be read for that. */
const prefetchWorker = async () => (await fetch(workerUrl)).blob();
// The worker reports what prevents it from being loaded.
prefetchWorker().catch(() => undefined);
