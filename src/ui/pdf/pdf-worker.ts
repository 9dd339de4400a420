/**
 * Worker that parses PDF files. The service answers this file with a policy of its own, by its name
 * (service/gateway/pages.ts): it may compile WebAssembly, which the console may not.
 */
import 'pdfjs-dist/build/pdf.worker.min.mjs';
