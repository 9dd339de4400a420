/** Part of a line of a document. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; parts: Inline[] }
  | { kind: 'emphasis'; parts: Inline[] }
  /** `href` starts with "/" for a page of the console, with "#" for a heading of the document, or is an https URL. */
  | { kind: 'link'; href: string; parts: Inline[] };

/** Block of a document, in reading order. */
export type Block =
  /** `level` is 2 or more: the title of the document is not among its blocks. */
  | { kind: 'heading'; level: number; id: string; parts: Inline[] }
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: Block[][] }
  | { kind: 'code'; text: string }
  | { kind: 'table'; header: Inline[][]; rows: Inline[][][] };

/** Document of the console: a help text or a guide, parsed when the console is built (scripts/documents.ts). */
export interface Document {
  title: string;
  blocks: Block[];
}

/** The documents by name: `docs/help/users.md` is `users`. */
export type Documents = ReadonlyMap<string, Document>;

/** Names the documents of `import.meta.glob` by their files. */
export const nameDocuments = (files: Readonly<Record<string, Document>>): Documents =>
  new Map(
    Object.entries(files).map(([path, document]) => [/([^/]+)\.md$/.exec(path)?.[1] ?? path, document]),
  );
