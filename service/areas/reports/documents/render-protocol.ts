/** Messages between the service and the thread that reads and fills documents. */
import type { ReportRecord } from '../language/values.ts';
import type { InspectedDocument } from './text.ts';

/** How a template is filled. */
export interface RenderOptions {
  listsRows: boolean;
  /** Paths of the image fields that pictures show, in lower case. */
  pictures?: readonly string[];
  /** IANA time zone of moments. */
  timeZone: string;
}

export type RenderRequest =
  /** Reads and checks a file. */
  | { kind: 'inspect'; bytes: Uint8Array }
  /** Opens a template for the following requests. */
  | { kind: 'open'; bytes: Uint8Array; options: RenderOptions }
  /** Adds entries to the document of the next `finish`. */
  | { kind: 'add'; entries: readonly ReportRecord[] }
  /** Fills one document with the added entries. `shared`: what is known of the report, for each entry too. */
  | { kind: 'finish'; shared: ReportRecord }
  /** Fills a document for each entry. */
  | { kind: 'each'; shared: ReportRecord; entries: readonly ReportRecord[] };

export type RenderReply =
  | { kind: 'inspected'; document: InspectedDocument }
  | { kind: 'done' }
  | { kind: 'documents'; documents: readonly Uint8Array[] }
  /** A file that is refused, with the reason for its author. */
  | { kind: 'refused'; message: string }
  | { kind: 'failed'; message: string };
