/** Reads the ZIP package of an Office document and refuses what could harm the service or the readers of its reports. */
import type { Readable } from 'node:stream';
import { SaxesParser } from 'saxes';
import { fromBufferPromise, type Entry } from 'yauzl';

/** A file that is refused; the message names the reason for its author. */
export class RefusedFileError extends Error {
  override name = 'RefusedFileError';
}

export const PACKAGE_LIMITS = {
  members: 2_000,
  memberBytes: 32 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  /** Depth of XML elements. */
  depth: 256,
} as const;

/** A document whose members were checked. */
export interface DocumentPackage {
  format: 'docx' | 'xlsx';
  /** Path of the main part: `word/document.xml`. */
  mainPart: string;
  /** Bytes by path. */
  members: Map<string, Buffer>;
  /** Media types of parts by path. */
  contentTypes: ReadonlyMap<string, string>;
}

const MAIN_TYPES: Readonly<Record<string, DocumentPackage['format']>> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml': 'xlsx',
};

const MACROS = 'The file has macros. Save it as .docx or .xlsx without macros.';

/** Members that are refused by their path. */
const REFUSED_PATHS: readonly { pattern: RegExp; reason: string }[] = [
  { pattern: /vba(?:Project|Data)[^/]*$/i, reason: MACROS },
  {
    pattern: /(?:^|\/)(?:macrosheets|activeX|ctrlProps)\//i,
    reason: 'The file has ActiveX or form controls. Remove them.',
  },
  { pattern: /(?:^|\/)embeddings\/[^/]*\.bin$/i, reason: 'The file has an embedded object. Remove it.' },
  {
    pattern: /^xl\/(?:externalLinks|queryTables)\//i,
    reason: 'The workbook refers to other workbooks or data. Remove the links.',
  },
  { pattern: /^xl\/connections\.xml$/i, reason: 'The workbook has data connections. Remove them.' },
  { pattern: /^customUI\//i, reason: 'The file changes the user interface of Office. Remove that.' },
];

/** Media types that are refused. */
const REFUSED_TYPES = /macroEnabled|vbaProject|activeX|oleObject|externalLink|ms-package\.obfuscated/i;
/** Relation types whose target is loaded or run when the document is opened. */
const REFUSED_RELATIONS =
  /\/(attachedTemplate|oleObject|subDocument|frame|externalLink|externalLinkPath|control|vbaProject|mailMergeSource)$/i;
const LINK_SCHEMES = /^(?:https?:|mailto:|#)/i;
/** Fields of a text document that read other files or run programs. */
const REFUSED_FIELDS =
  /^\s*\\?\s*(DDE|DDEAUTO|INCLUDETEXT|INCLUDEPICTURE|INCLUDE|IMPORT|LINK|RD|DATABASE|MACROBUTTON)\b/i;
/** A formula that starts a program over DDE: `cmd|' /C calc'!A0`. */
const DDE_FORMULA = /[\w'"]\s*\|\s*(?:'|\w).*!/;

/**
 * Reads and checks a document.
 * @throws RefusedFileError with the reason
 */
export async function readPackage(bytes: Buffer): Promise<DocumentPackage> {
  const members = await readMembers(bytes);
  const contentTypes = readContentTypes(members);
  const [main] = [...contentTypes].filter(([, type]) => Object.hasOwn(MAIN_TYPES, type));
  const format = main && MAIN_TYPES[main[1]];
  if (!main || !format || !members.has(main[0]))
    throw new RefusedFileError('The file is not a .docx or .xlsx document.');
  for (const [path, content] of members) if (/\.(?:xml|rels|vml)$/i.test(path)) checkXml(path, content);
  return { format, mainPart: main[0], members, contentTypes };
}

async function readMembers(bytes: Buffer): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const names = new Set<string>();
  let totalBytes = 0;
  try {
    const zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    if (zip.entryCount > PACKAGE_LIMITS.members)
      throw new RefusedFileError(
        `The file has ${zip.entryCount} members; at most ${PACKAGE_LIMITS.members} are accepted.`,
      );
    for await (const entry of zip.eachEntry()) {
      const path = entry.fileName;
      if (path.endsWith('/')) continue;
      checkEntry(entry, names);
      totalBytes += entry.uncompressedSize;
      if (totalBytes > PACKAGE_LIMITS.totalBytes)
        throw new RefusedFileError(
          `The file unpacks to more than ${PACKAGE_LIMITS.totalBytes} bytes; it may be a ZIP bomb.`,
        );
      const stream: Readable = await zip.openReadStreamPromise(entry);
      members.set(path, Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)));
    }
  } catch (error) {
    if (error instanceof RefusedFileError) throw error;
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
    throw new RefusedFileError(`The file is not a document that can be read: ${reason}.`, { cause: error });
  }
  return members;
}

function checkEntry(entry: Entry, names: Set<string>): void {
  const path = entry.fileName;
  const key = path.toLowerCase();
  if (names.has(key)) throw new RefusedFileError(`The file contains ${path} twice.`);
  names.add(key);
  if (/(?:^|\/)\.\.?(?:\/|$)|^[a-z]:|^\/|\\|\0/i.test(path))
    throw new RefusedFileError(`The file contains a member with the path ${path}.`);
  if (entry.isEncrypted()) throw new RefusedFileError('The file is encrypted. Remove its password.');
  if (entry.uncompressedSize > PACKAGE_LIMITS.memberBytes)
    throw new RefusedFileError(
      `${path} unpacks to ${entry.uncompressedSize} bytes; at most ${PACKAGE_LIMITS.memberBytes} are accepted.`,
    );
  const refused = REFUSED_PATHS.find(({ pattern }) => pattern.test(path));
  if (refused) throw new RefusedFileError(`${refused.reason} (${path})`);
}

/** Attributes of an element without the prefixes of their names. */
type Attributes = Readonly<Record<string, string>>;

interface XmlEvents {
  open?: (name: string, attributes: Attributes) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
}

/**
 * Reads XML in document order; names have their prefixes.
 * @throws RefusedFileError for malformed XML, document types, entities and deep nesting
 */
export function readXml(path: string, content: Buffer, { open, close, text }: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: false, position: false } as const);
  let depth = 0;
  parser.on('doctype', () => {
    throw new RefusedFileError(`${path} has a document type definition, which can define entities.`);
  });
  parser.on('error', (error) => {
    throw new RefusedFileError(`${path} is not well-formed: ${error.message}.`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > PACKAGE_LIMITS.depth) throw new RefusedFileError(`${path} nests elements too deeply.`);
    open?.(name, attributes);
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    close?.(name);
  });
  if (text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  parser.write(decodeXml(path, content));
  parser.close();
}

/** Text of a part. Office writes UTF-8; another encoding could hide what is checked. */
export function decodeXml(path: string, content: Buffer): string {
  const text = content.toString('utf8').replace(/^\uFEFF/, '');
  const encoding = /^<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(encoding) || text.includes('\0'))
    throw new RefusedFileError(`${path} is not encoded as UTF-8.`);
  return text;
}

export const getLocalName = (name: string): string => name.slice(name.indexOf(':') + 1);

const getAttribute = (attributes: Attributes, name: string): string =>
  Object.entries(attributes).find(([key]) => getLocalName(key) === name)?.[1] ?? '';

function readContentTypes(members: ReadonlyMap<string, Buffer>): Map<string, string> {
  const path = '[Content_Types].xml';
  const content = members.get(path);
  if (!content) throw new RefusedFileError('The file is not a .docx or .xlsx document.');
  const defaults = new Map<string, string>();
  const types = new Map<string, string>();
  readXml(path, content, {
    open(name, attributes) {
      const type = getAttribute(attributes, 'ContentType');
      if (/macroEnabled|vbaProject/i.test(type)) throw new RefusedFileError(MACROS);
      if (REFUSED_TYPES.test(type))
        throw new RefusedFileError(`The file has a part of the type ${type}. Remove it.`);
      if (getLocalName(name) === 'Default')
        defaults.set(getAttribute(attributes, 'Extension').toLowerCase(), type);
      if (getLocalName(name) === 'Override')
        types.set(getAttribute(attributes, 'PartName').replace(/^\//, ''), type);
    },
  });
  for (const member of members.keys()) {
    const type = defaults.get(member.slice(member.lastIndexOf('.') + 1).toLowerCase());
    if (type !== undefined && !types.has(member)) types.set(member, type);
  }
  return types;
}

/** Refuses relations and fields of a part that reach outside of the document. */
function checkXml(path: string, content: Buffer): void {
  let inside = '';
  let text = '';
  readXml(path, content, {
    open(name, attributes) {
      const local = getLocalName(name);
      if (local === 'Relationship') checkRelation(attributes);
      if (local === 'fldSimple') checkField(getAttribute(attributes, 'instr'));
      if (local === 'ddeLink' || local === 'oleLink')
        throw new RefusedFileError('The workbook refers to other programs. Remove the links.');
      if (local === 'instrText' || local === 'f') {
        inside = local;
        text = '';
      } else if (local === 'fldChar' || local === 'p') text = '';
    },
    text(part) {
      if (inside !== '') text += part;
    },
    close(name) {
      const local = getLocalName(name);
      if (local !== inside) return;
      if (local === 'instrText') checkField(text);
      else if (DDE_FORMULA.test(text))
        throw new RefusedFileError(`The formula ${text.slice(0, 100)} starts another program.`);
      inside = '';
    },
  });
  if (path.startsWith('word/')) checkSplitFields(content.toString('utf8'));
}

/** Instructions of a field may be divided into several runs. */
function checkSplitFields(xml: string): void {
  for (const field of xml.split(/fldCharType="begin"/).slice(1)) {
    const instruction = field.split(/fldCharType="(?:separate|end)"/)[0] ?? '';
    checkField([...instruction.matchAll(/<w:instrText[^>]*>([^<]*)</g)].map(([, part]) => part).join(''));
  }
}

function checkField(instruction: string): void {
  const field = REFUSED_FIELDS.exec(instruction)?.[1];
  if (field !== undefined)
    throw new RefusedFileError(
      `The document has a ${field.toUpperCase()} field, which reads other files or starts programs.`,
    );
}

function checkRelation(attributes: Attributes): void {
  const type = getAttribute(attributes, 'Type');
  const target = getAttribute(attributes, 'Target');
  const name = type.slice(type.lastIndexOf('/') + 1);
  if (REFUSED_RELATIONS.test(type))
    throw new RefusedFileError(
      name === 'attachedTemplate'
        ? `The document is attached to the template ${target}. Attach it to Normal.dotm, or remove the template.`
        : `The file has a relation of the kind ${name} to ${target}. Remove it.`,
    );
  if (getAttribute(attributes, 'TargetMode').toLowerCase() !== 'external') return;
  if (name === 'hyperlink' && LINK_SCHEMES.test(target)) return;
  throw new RefusedFileError(`The file refers to the external ${name} ${target}. Embed it or remove it.`);
}
