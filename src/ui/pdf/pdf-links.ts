// Without zod: the parts of it that tuples need would become part of the code that every grid loads.

/** A link of a page or of the outline. */
export type PdfLink =
  | { kind: 'internal'; destination: string | readonly unknown[] }
  | { kind: 'external'; url: string };

const OPENED_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/**
 * Reads a link of pdf.js. Undefined for actions that the viewer does not carry out: scripts, forms, other files,
 * attachments, and addresses with other protocols than http, https and mailto.
 */
export function readLink(raw: unknown): PdfLink | undefined {
  if (!isObject(raw)) return undefined;
  const { dest, url } = raw;
  if ((typeof dest === 'string' || isArray(dest)) && dest.length > 0)
    return { kind: 'internal', destination: dest };
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return OPENED_PROTOCOLS.has(protocol) ? { kind: 'external', url: href } : undefined;
}

/** Host of a web address or address of a mail link, for the question before it is opened. */
export function formatLinkTarget(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return protocol === 'mailto:' ? decodeURIComponentSafely(pathname) : host;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface PdfTarget {
  page: { num: number; gen: number } | number;
  /** Distance from the lower edge of the page in points; undefined for its top. */
  y: number | undefined;
}

/**
 * Reads an explicit destination: a page, by reference or index, and how it is shown (ISO 32000-1, 12.3.2.2). Undefined if
 * it is none.
 */
export function readDestination(destination: unknown): PdfTarget | undefined {
  if (!isArray(destination)) return undefined;
  const [target, mode, ...numbers] = destination;
  const page = readPage(target);
  if (page === undefined || !isObject(mode)) return undefined;
  const { name } = mode;
  const y = name === 'XYZ' ? numbers[1] : name === 'FitH' || name === 'FitBH' ? numbers[0] : undefined;
  return { page, y: typeof y === 'number' ? y : undefined };
}

function readPage(target: unknown): PdfTarget['page'] | undefined {
  if (typeof target === 'number') return target;
  if (!isObject(target)) return undefined;
  const { num, gen } = target;
  return typeof num === 'number' && typeof gen === 'number' ? { num, gen } : undefined;
}

/** Link annotation of a page, with two opposite corners in points of the page: x, y, x, y. */
export interface PdfPageLink {
  link: PdfLink;
  corners: readonly [number, number, number, number];
}

/** Reads an annotation of pdf.js; undefined if it is no link that the viewer follows. */
export function readPageLink(annotation: unknown): PdfPageLink | undefined {
  if (!isObject(annotation) || annotation['subtype'] !== 'Link' || !isArray(annotation['rect']))
    return undefined;
  const link = readLink(annotation);
  const [x1, y1, x2, y2] = annotation['rect'].filter((side) => typeof side === 'number');
  if (!link || x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined;
  return { link, corners: [x1, y1, x2, y2] };
}

/** Item of the outline of a document. */
export interface OutlineItem {
  title: string;
  link: PdfLink | undefined;
  items: readonly OutlineItem[];
}

/** Reads the outline of pdf.js, which is null for a document without one. */
export function readOutline(items: unknown): OutlineItem[] {
  if (!isArray(items)) return [];
  return items.flatMap((item) => {
    if (!isObject(item) || typeof item['title'] !== 'string') return [];
    return [{ title: item['title'].trim(), link: readLink(item), items: readOutline(item['items']) }];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
// `Array.isArray` types its argument as any[].
const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
