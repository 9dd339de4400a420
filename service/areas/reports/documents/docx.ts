/** Text documents: reads their placeholders and fills them with docxtemplater. */
import { randomUUID } from 'node:crypto';
import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import type { FormatContext } from '../language/formats.ts';
import {
  evaluateText,
  findMarks,
  holds,
  parsePlaceholder,
  type Placeholder,
} from '../language/placeholder.ts';
import { toDocumentText, type ReportRecord } from '../language/values.ts';
import { decodeXml, getLocalName, readXml, RefusedFileError, type DocumentPackage } from './package.ts';
import { createPictureExchange, markPictures, PICTURE_ATTRIBUTE, type PictureExchange } from './pictures.ts';
import type { RenderOptions } from './render-protocol.ts';
import type { DocumentText, InspectedDocument, PartKind } from './text.ts';

/** Parts that docxtemplater fills, by the end of their media type. */
const PART_KINDS: readonly { type: string; kind: PartKind; name: string; isNumbered: boolean }[] = [
  { type: 'wordprocessingml.document.main+xml', kind: 'document', name: 'Document', isNumbered: false },
  { type: 'wordprocessingml.header+xml', kind: 'header', name: 'Header', isNumbered: true },
  { type: 'wordprocessingml.footer+xml', kind: 'footer', name: 'Footer', isNumbered: true },
  { type: 'wordprocessingml.footnotes+xml', kind: 'notes', name: 'Footnotes', isNumbered: false },
  { type: 'wordprocessingml.comments+xml', kind: 'notes', name: 'Comments', isNumbered: false },
];

interface TemplatedPart {
  path: string;
  kind: PartKind;
  name: string;
}

function listParts({ contentTypes, members }: DocumentPackage): TemplatedPart[] {
  return PART_KINDS.flatMap(({ type, kind, name, isNumbered }) =>
    [...contentTypes]
      .filter(([path, each]) => each.endsWith(type) && members.has(path))
      .map(([path]) => path)
      .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .map((path, at) => ({ path, kind, name: isNumbered ? `${name} ${at + 1}` : name })),
  );
}

/** A paragraph that is being read; paragraphs of text boxes stand within others. */
interface OpenParagraph {
  text: string;
  place: string;
  parent: number;
  row: number | null;
  /** Offsets of the alternative texts of pictures. */
  pictures: Set<number>;
}

function readTexts(
  part: TemplatedPart,
  content: Buffer,
  firstId: number,
): { texts: DocumentText[]; lastId: number } {
  const texts: DocumentText[] = [];
  let id = firstId;
  let count = 0;
  let fallbackDepth = 0;
  let isInText = false;
  const containers: number[] = [];
  const rows: number[] = [];
  const open: OpenParagraph[] = [];
  const add = (text: string) => {
    const paragraph = open.at(-1);
    if (paragraph && fallbackDepth === 0) paragraph.text += text;
  };
  const marked = Buffer.from(markPictures(decodeXml(part.path, content), (path) => `{${path}}`));
  readXml(part.path, marked, {
    open(name, attributes) {
      id += 1;
      if (name === 'mc:Fallback') fallbackDepth += 1;
      if (name === 'w:tr') rows.push(id);
      if (name === 'w:p') {
        count += 1;
        open.push({
          text: '',
          place: `paragraph ${count}`,
          parent: containers.at(-1) ?? firstId,
          row: rows.at(-1) ?? null,
          pictures: new Set(),
        });
      }
      containers.push(id);
      const paragraph = open.at(-1);
      if (PICTURE_ATTRIBUTE in attributes) paragraph?.pictures.add(paragraph.text.length);
      if (name === 'w:t' || name === 'a:t' || name === 'm:t') isInText = true;
      else if (name === 'w:tab') add('\t');
      else if (name === 'w:br' || name === 'w:cr') add('\n');
    },
    text(text) {
      if (isInText) add(text);
    },
    close(name) {
      containers.pop();
      if (name === 'mc:Fallback') fallbackDepth -= 1;
      if (name === 'w:tr') rows.pop();
      if (getLocalName(name) === 't') isInText = false;
      if (name !== 'w:p') return;
      const paragraph = open.pop();
      if (!paragraph || paragraph.text === '' || fallbackDepth > 0) return;
      const { pictures, ...text } = paragraph;
      const marks = findMarks(text.text).map((mark) =>
        pictures.has(mark.offset) ? { ...mark, isPicture: true } : mark,
      );
      texts.push({ ...text, part: part.name, partKind: part.kind, marks });
    },
  });
  return { texts, lastId: id };
}

/** Reads the texts of a document; what docxtemplater refuses is a fault of its first text. */
export function inspectDocx(document: DocumentPackage): Omit<InspectedDocument, 'isTruncated'> {
  const texts: DocumentText[] = [];
  let lastId = 0;
  for (const part of listParts(document)) {
    const content = document.members.get(part.path);
    if (!content) continue;
    const read = readTexts(part, content, lastId + 1);
    texts.push(...read.texts);
    ({ lastId } = read);
  }
  const isComplete = texts.every(({ marks }) => marks.every(({ fault }) => fault === undefined));
  return { format: 'docx', texts, faults: isComplete && texts.length > 0 ? findCompileFaults(document) : [] };
}

function findCompileFaults(document: DocumentPackage): { text: number; message: string }[] {
  try {
    compile(new PizZip(packMembers(document.members)), { timeZone: 'UTC' });
    return [];
  } catch (error) {
    return readTemplateErrors(error)
      .filter(
        ({ id }) => id !== 'closing_tag_does_not_match_opening_tag' && !/^un(?:opened|closed)_/.test(id),
      )
      .map(({ explanation }) => ({ text: 0, message: explanation }));
  }
}

function readProperties(error: unknown): Readonly<Record<string, unknown>> {
  const { properties } = (error ?? {}) as { properties?: Record<string, unknown> };
  return properties ?? {};
}

/** Errors of docxtemplater; one error may hold several. */
function readTemplateErrors(error: unknown): { id: string; explanation: string }[] {
  const { errors: nested, id, explanation } = readProperties(error);
  if (Array.isArray(nested)) return nested.flatMap(readTemplateErrors);
  if (typeof id !== 'string') throw error;
  return [{ id, explanation: typeof explanation === 'string' ? explanation : id }];
}

/** ZIP archive of the checked members: what the original archive has besides is left behind. */
function packMembers(members: ReadonlyMap<string, Buffer>): Buffer {
  const zip = new PizZip();
  for (const [path, content] of members) zip.file(path, content, { createFolders: false });
  return zip.generate({ type: 'nodebuffer', compression: 'DEFLATE', compressionOptions: { level: 1 } });
}

/** Names of the loops that the service adds around the body of a document with a section for each entry. */
const SECTIONS = '$sections';
const NEXT = '$next';
/** Begins the tag before a picture; no placeholder of a template contains a space. */
const PICTURE = '$picture ';

/** Data of a part of a document: one entry, or what is known of the report without one. */
interface Scope {
  record: ReportRecord;
  rows?: readonly Scope[];
  sections?: readonly Scope[];
  isLast?: boolean;
}

type Tag = { placeholder: Placeholder | undefined };

/**
 * Reads `{/if}` as the end of `{#if Field}`: docxtemplater compares the names of the two placeholders of a pair unless the name of the
 * second is empty, which the empty group makes it.
 */
const createPairModule = (): { name: string } =>
  Object.assign(
    { name: 'PairModule' },
    {
      matchers: () => [[/^\s*\/\s*if\s*()$/i, 'loop', { location: 'end', priority: 1 }]],
    },
  );

function compile(zip: PizZip, context: FormatContext, pictures?: PictureExchange): Docxtemplater {
  const tags = new Map<string, Tag>();
  const getTag = (text: string): Tag => {
    const known = tags.get(text);
    if (known) return known;
    // The prefix of a pair is removed by docxtemplater.
    const isPair = /^(?:rows|if\s)/i.test(text);
    const tag = { placeholder: parsePlaceholder(isPair ? `#${text}` : text).placeholder };
    tags.set(text, tag);
    return tag;
  };
  return new Docxtemplater(zip, {
    paragraphLoop: true,
    linebreaks: true,
    stripInvalidXMLChars: true,
    errorLogging: false,
    nullGetter: () => '',
    syntax: { changeDelimiterPrefix: null },
    modules: [createPairModule()],
    parser: (text) => ({
      get(scope: Scope) {
        const name = text.trim();
        if (name === SECTIONS) return scope.sections ?? [];
        if (name === NEXT) return scope.isLast === false;
        if (pictures && name.startsWith(PICTURE)) {
          const path = name.slice(PICTURE.length);
          return pictures.toText(Object.hasOwn(scope.record, path) ? scope.record[path] : undefined);
        }
        const { placeholder } = getTag(name);
        if (placeholder?.kind === 'rows') return scope.rows ?? [];
        if (placeholder?.kind === 'if') return holds(placeholder, scope.record);
        if (placeholder?.kind === 'value')
          return toDocumentText(evaluateText(placeholder, scope.record, context));
        return '';
      },
    }),
  });
}

const paragraph = (content: string): string => `<w:p>${content}</w:p>`;
const tagParagraph = (tag: string): string => paragraph(`<w:r><w:t>{${tag}}</w:t></w:r>`);

/** Wraps the body of a document into a loop that begins a new section for each entry. */
function addSections(path: string, content: Buffer): string {
  const xml = decodeXml(path, content);
  const [, head, body, tail] = /^([^]*?<w:body(?:\s[^>]*)?>)([^]*)(<\/w:body>[^]*)$/.exec(xml) ?? [];
  if (head === undefined || body === undefined || tail === undefined)
    throw new RefusedFileError(`${path} has no body.`);
  const lastSection = /<w:sectPr(?:\s[^>]*)?(?:\/>|>(?:(?!<w:sectPr)[^])*<\/w:sectPr>)\s*$/.exec(body);
  const section = (lastSection?.[0] ?? '<w:sectPr/>').replaceAll(/<w:type\s[^>]*\/>/g, '');
  const inner = lastSection ? body.slice(0, lastSection.index) : body;
  // The empty paragraph that ends a section is as small as Word allows.
  const sectionEnd = `<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/><w:rPr><w:sz w:val="2"/></w:rPr>${section}</w:pPr></w:p>`;
  return (
    head +
    tagParagraph(`#${SECTIONS}`) +
    inner +
    tagParagraph(`#${NEXT}`) +
    sectionEnd +
    tagParagraph(`/${NEXT}`) +
    tagParagraph(`/${SECTIONS}`) +
    section +
    tail
  );
}

/** Fills a document again and again. */
export interface DocumentRenderer {
  /**
   * @param shared what is known of the report, for each entry too
   * @param entries may have values of their own for names of `shared`
   */
  render(shared: ReportRecord, entries: readonly ReportRecord[]): Promise<Buffer>;
}

/** Creates the renderer of a checked text document. */
export function createDocxRenderer(
  template: DocumentPackage,
  { listsRows, timeZone, pictures: picturePaths = [] }: RenderOptions,
): DocumentRenderer {
  const parts = listParts(template).map(({ path }) => path);
  const document = { ...template, members: new Map(template.members) };
  if (picturePaths.length > 0)
    for (const path of parts) {
      const xml = decodeXml(path, document.members.get(path) ?? Buffer.alloc(0));
      const marked = markPictures(xml, (name) =>
        picturePaths.includes(name.toLowerCase()) ? `{${PICTURE}${name.toLowerCase()}}` : undefined,
      );
      document.members.set(path, Buffer.from(marked));
    }
  const single = packMembers(document.members);
  let divided: Buffer | undefined;
  const getDivided = () => {
    const content = document.members.get(document.mainPart) ?? Buffer.alloc(0);
    const members = new Map(document.members).set(
      document.mainPart,
      Buffer.from(addSections(document.mainPart, content)),
    );
    return (divided ??= packMembers(members));
  };
  return {
    render(shared, entries) {
      const [first] = entries;
      const isDivided = !listsRows && entries.length > 1;
      const scopes = entries.map((entry, at) => ({
        record: { ...shared, ...entry },
        isLast: at === entries.length - 1,
      }));
      const scope: Scope = listsRows
        ? { record: shared, rows: scopes }
        : isDivided
          ? { record: shared, sections: scopes }
          : { record: first ?? shared };
      const pictures = picturePaths.length > 0 ? createPictureExchange(randomUUID()) : undefined;
      const filled = compile(new PizZip(isDivided ? getDivided() : single), { timeZone }, pictures);
      filled.render(scope);
      pictures?.finish(filled.getZip() as PizZip, parts);
      return Promise.resolve(filled.toBuffer({ compression: 'DEFLATE', compressionOptions: { level: 1 } }));
    },
  };
}
