/** Values of a report in a form that the render thread receives: what a placeholder can show. */
export type ReportValue =
  | { kind: 'text'; text: string }
  | { kind: 'number'; value: number }
  | { kind: 'money'; value: number; currency: string }
  | { kind: 'boolean'; value: boolean }
  /** `2026-03-01`. */
  | { kind: 'day'; day: string }
  /** ISO 8601 in UTC. */
  | { kind: 'moment'; at: string }
  | ReportPicture
  | { kind: 'list'; items: readonly ReportValue[] };

/** An image that a picture of a document becomes. */
export interface ReportPicture {
  kind: 'picture';
  /** Name of the file. */
  name: string;
  /** Media type. */
  type: string;
  /** Hexadecimal. */
  sha256: string;
  bytes: Uint8Array;
}

/** The single values of a value: the items of a list, else the value itself. */
export const listItems = (value: ReportValue): readonly ReportValue[] =>
  value.kind === 'list' ? value.items : [value];

/** Kind of the values of a field, by which formats are checked. */
export type ValueKind = ReportValue['kind'];

/** Values of an entry by path in lower case (`company.name`); empty ones are left out. */
export type ReportRecord = Readonly<Record<string, ReportValue>>;

// Characters that XML 1.0 cannot contain; lone surrogates are replaced before.
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const INVALID_XML_CHARACTERS = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** A text that every document can contain. */
export const toDocumentText = (text: string): string =>
  text.toWellFormed().replaceAll(INVALID_XML_CHARACTERS, '');
