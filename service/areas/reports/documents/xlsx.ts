/** Workbooks: reads their placeholders and fills them row by row. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { escapeSheetText, MAX_CELL_TEXT_LENGTH } from '../../../../contract/rules/tables/cells.ts';
import { escapeXml } from '../../../../contract/rules/tables/workbook-parts.ts';
import type { DocumentFault } from '../language/check.ts';
import { formatValue, toWallMs, type FormatContext } from '../language/formats.ts';
import {
  evaluate,
  evaluateText,
  findMarks,
  holds,
  parsePlaceholder,
  type Mark,
  type Placeholder,
} from '../language/placeholder.ts';
import { toDocumentText, type ReportRecord, type ReportValue } from '../language/values.ts';
import type { DocumentRenderer } from './docx.ts';
import { decodeXml, getLocalName, readXml, RefusedFileError, type DocumentPackage } from './package.ts';
import { moveFormula, moveRange, moveRanges, type RepeatedRow } from './sheet-references.ts';
import type { DocumentText, InspectedDocument } from './text.ts';

type Attributes = Record<string, string>;

interface SheetCell {
  attributes: Attributes;
  column: string;
  /** Text of the cell if it is one. */
  text: string | undefined;
  marks: readonly Mark[];
  formula: { attributes: Attributes; text: string } | undefined;
  /** XML within the cell, for cells that stay as they are. */
  content: string;
}

interface SheetRow {
  row: number;
  /** Attributes in XML that copies of the row have too. */
  attributes: string;
  cells: SheetCell[];
  /** Whether the row has {#rows}. */
  isRepeated: boolean;
}

interface Sheet {
  name: string;
  path: string;
  /** XML before and after the rows. */
  head: string;
  tail: string;
  rows: SheetRow[];
}

const serializeAttributes = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
    .join('');

const serializeTag = (name: string, attributes: Attributes): string =>
  `<${name}${serializeAttributes(attributes)}>`;

/** Texts of cells by index; formats within a text are not kept where the text has placeholders. */
function readSharedTexts(path: string, content: Buffer | undefined): string[] {
  const texts: string[] = [];
  if (!content) return texts;
  let text: string | undefined;
  let [isInText, isInPhonetics] = [false, false];
  readXml(path, content, {
    open(name) {
      const local = getLocalName(name);
      if (local === 'si') text = '';
      if (local === 'rPh') isInPhonetics = true;
      isInText = local === 't' && !isInPhonetics;
    },
    text(part) {
      if (isInText && text !== undefined) text += part;
    },
    close(name) {
      const local = getLocalName(name);
      isInText = false;
      if (local === 'rPh') isInPhonetics = false;
      if (local !== 'si') return;
      texts.push(unescapeSheetText(text ?? ''));
      text = undefined;
    },
  });
  return texts;
}

const unescapeSheetText = (text: string): string =>
  text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Target of each relation of a part by id. */
function readRelations({ members }: DocumentPackage, path: string): Map<string, string> {
  const at = path.lastIndexOf('/');
  const folder = path.slice(0, at + 1);
  const relations = new Map<string, string>();
  const content = members.get(`${folder}_rels/${path.slice(at + 1)}.rels`);
  if (content)
    readXml(path, content, {
      open(name, attributes) {
        const { Id: id, Target: target } = attributes;
        if (getLocalName(name) === 'Relationship' && id !== undefined && target !== undefined)
          relations.set(id, new URL(target, `file:///${folder}`).pathname.slice(1));
      },
    });
  return relations;
}

/** Reads a worksheet: its rows as cells, and everything else as XML. */
function readSheet(name: string, path: string, content: Buffer, shared: readonly string[]): Sheet {
  const sheet: Sheet = { name, path, head: '', tail: '', rows: [] };
  let state: 'head' | 'rows' | 'tail' = 'head';
  let row: SheetRow | undefined;
  let cell: SheetCell | undefined;
  let depth = 0;
  let [inside, value] = ['', ''];
  let isDropped = false;
  const write = (xml: string) => {
    if (cell) cell.content += xml;
    else if (state === 'head') sheet.head += xml;
    else if (state === 'tail') sheet.tail += xml;
  };
  readXml(path, content, {
    open(tag, attributes) {
      const local = getLocalName(tag);
      if (state === 'head' && local === 'dimension') isDropped = true;
      if (isDropped) return;
      if (local === 'sheetData' && state === 'head') {
        write(serializeTag(tag, attributes));
        state = 'rows';
      } else if (state === 'rows' && local === 'row') {
        const number = Number(attributes['r'] ?? (sheet.rows.at(-1)?.row ?? 0) + 1);
        const { r: _r, spans: _spans, ...kept } = attributes;
        row = { row: number, attributes: serializeAttributes(kept), cells: [], isRepeated: false };
      } else if (state === 'rows' && local === 'c' && row) {
        const last = row.cells.at(-1)?.column;
        const column = /^[A-Z]+/i.exec(attributes['r'] ?? '')?.[0] ?? nextColumn(last);
        cell = {
          attributes: { ...attributes },
          column,
          text: undefined,
          marks: [],
          formula: undefined,
          content: '',
        };
        [inside, value, depth] = ['', '', 0];
      } else {
        if (cell) {
          depth += 1;
          if (local === 'f') cell.formula = { attributes: { ...attributes }, text: '' };
          inside = local;
        }
        write(serializeTag(tag, attributes));
      }
    },
    text(text) {
      if (isDropped) return;
      if (cell && inside === 'f' && cell.formula) cell.formula.text += text;
      else if (cell && (inside === 'v' || inside === 't')) value += text;
      write(escapeXml(text));
    },
    close(tag) {
      const local = getLocalName(tag);
      if (isDropped) {
        if (local === 'dimension') isDropped = false;
        return;
      }
      if (cell && depth === 0 && local === 'c') {
        const { t: type } = cell.attributes;
        if (type === 's') cell.text = shared[Number(value)];
        else if (type === 'inlineStr') cell.text = unescapeSheetText(value);
        if (cell.text !== undefined) cell.marks = findMarks(cell.text);
        row?.cells.push(cell);
        cell = undefined;
      } else if (cell) {
        depth -= 1;
        inside = '';
        write(`</${tag}>`);
      } else if (row && local === 'row') {
        row.isRepeated = row.cells.some(({ marks }) => marks.some(isRowsMark));
        sheet.rows.push(row);
        row = undefined;
      } else {
        if (state === 'rows' && local === 'sheetData') state = 'tail';
        write(`</${tag}>`);
      }
    },
  });
  return sheet;
}

const isRowsMark = ({ text }: Mark): boolean =>
  parsePlaceholder(text.slice(1, -1)).placeholder?.kind === 'rows';

function nextColumn(column: string | undefined): string {
  let number = 0;
  for (const letter of column?.toUpperCase() ?? '') number = number * 26 + letter.charCodeAt(0) - 64;
  let letters = '';
  for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

interface Workbook {
  sheets: Sheet[];
  workbookPath: string;
}

function readWorkbook(document: DocumentPackage): Workbook {
  const { members, mainPart, contentTypes } = document;
  const relations = readRelations(document, mainPart);
  const sharedPath = [...contentTypes].find(([, type]) => type.endsWith('sharedStrings+xml'))?.[0] ?? '';
  const shared = readSharedTexts(sharedPath, members.get(sharedPath));
  const sheets: Sheet[] = [];
  readXml(mainPart, members.get(mainPart) ?? Buffer.alloc(0), {
    open(tag, attributes) {
      if (getLocalName(tag) !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => getLocalName(key) === 'id')?.[1] ?? '';
      const path = relations.get(id) ?? '';
      const content = members.get(path);
      // Sheets of charts have no cells.
      if (content && contentTypes.get(path)?.endsWith('worksheet+xml'))
        sheets.push(readSheet(attributes['name'] ?? '', path, content, shared));
    },
  });
  if (sheets.length === 0) throw new RefusedFileError('The workbook has no worksheet.');
  return { sheets, workbookPath: mainPart };
}

/** Reads the texts of a workbook. */
export function inspectXlsx(document: DocumentPackage): Omit<InspectedDocument, 'isTruncated'> {
  const texts: DocumentText[] = [];
  const faults: DocumentFault[] = [];
  for (const [at, sheet] of readWorkbook(document).sheets.entries())
    for (const { row, cells, isRepeated } of sheet.rows)
      for (const { column, text, marks, formula } of cells) {
        const isSharedFormula =
          isRepeated && formula?.attributes['t'] !== undefined && formula.attributes['t'] !== 'normal';
        if ((text === undefined || text === '') && !isSharedFormula) continue;
        const place = `${column}${row}`;
        texts.push({ part: sheet.name, partKind: 'sheet', place, parent: at, row, marks, text: text ?? '' });
        if (isSharedFormula)
          faults.push({
            text: texts.length - 1,
            message: `The formula of ${place} is shared with other cells and cannot be repeated. Enter it again in this cell.`,
          });
      }
  return { format: 'xlsx', texts, faults };
}

/** Numbers of built-in formats that show dates or times (ECMA-376 part 1, 18.8.30). */
const isBuiltInDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** Indexes of the cell styles that show dates. */
function readDateStyles({ members, contentTypes }: DocumentPackage): Set<number> {
  const path = [...contentTypes].find(([, type]) => type.endsWith('spreadsheetml.styles+xml'))?.[0] ?? '';
  const content = members.get(path);
  const styles = new Set<number>();
  if (!content) return styles;
  const dateFormats = new Set<number>();
  let [isInCells, count] = [false, 0];
  readXml(path, content, {
    open(tag, attributes) {
      const local = getLocalName(tag);
      const id = Number(attributes['numFmtId']);
      const code = (attributes['formatCode'] ?? '').replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '');
      if (local === 'numFmt' && /[ymdhs]/i.test(code)) dateFormats.add(id);
      if (local === 'cellXfs') isInCells = true;
      if (local !== 'xf' || !isInCells) return;
      if (isBuiltInDateFormat(id) || dateFormats.has(id)) styles.add(count);
      count += 1;
    },
    close(tag) {
      if (getLocalName(tag) === 'cellXfs') isInCells = false;
    },
  });
  return styles;
}

const DAY_MS = 86_400_000;
/** Serial number of 1970-01-01; day 0 is 1899-12-30. */
const UNIX_EPOCH_SERIAL = 25_569;
const MIN_SERIAL_MS = Date.UTC(1901, 0);

/** A text of a cell, divided into what stays and placeholders. */
type TextPart = string | Placeholder | undefined;

interface CellTemplate {
  parts: readonly TextPart[];
  /** The placeholder of a cell that has nothing else: its value keeps its type. */
  only: Extract<Placeholder, { kind: 'value' }> | undefined;
}

function compileCell({ text = '', marks }: SheetCell): CellTemplate {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { offset, length, text: mark } of marks) {
    parts.push(text.slice(from, offset));
    const { placeholder } = parsePlaceholder(mark.slice(1, -1));
    if (placeholder?.kind !== 'rows' && placeholder?.kind !== 'endRows') parts.push(placeholder);
    from = offset + length;
  }
  parts.push(text.slice(from));
  const shown = parts.filter((part) => part !== '');
  const [first] = shown;
  const only = shown.length === 1 && typeof first === 'object' && first.kind === 'value' ? first : undefined;
  return { parts, only };
}

/** Text of a cell for an entry. */
function fillText(parts: readonly TextPart[], record: ReportRecord, context: FormatContext): string {
  let text = '';
  const shown: boolean[] = [];
  for (const part of parts) {
    if (typeof part === 'object' && part.kind === 'if') shown.push(holds(part, record));
    else if (typeof part === 'object' && part.kind === 'endIf') shown.pop();
    else if (part === undefined || !shown.every(Boolean)) continue;
    else if (typeof part === 'string') text += part;
    else if (part.kind === 'value') text += evaluateText(part, record, context);
  }
  return text;
}

function formatTextCell(attributes: string, text: string): string {
  const valid = toDocumentText(text);
  if (valid === '') return `<c${attributes}/>`;
  const shown =
    valid.length > MAX_CELL_TEXT_LENGTH
      ? `${valid.slice(0, MAX_CELL_TEXT_LENGTH - 1).toWellFormed()}…`
      : valid;
  return `<c${attributes} t="inlineStr"><is><t xml:space="preserve">${escapeXml(escapeSheetText(shown))}</t></is></c>`;
}

function formatValueCell(
  attributes: string,
  value: ReportValue | undefined,
  context: FormatContext,
  hasDateStyle: boolean,
): string {
  if (value?.kind === 'number' || value?.kind === 'money') return `<c${attributes}><v>${value.value}</v></c>`;
  if ((value?.kind === 'day' || value?.kind === 'moment') && hasDateStyle) {
    const wall = toWallMs(value, context);
    if (wall >= MIN_SERIAL_MS) return `<c${attributes}><v>${wall / DAY_MS + UNIX_EPOCH_SERIAL}</v></c>`;
  }
  return formatTextCell(attributes, formatValue(value, context));
}

const CHUNK_LENGTH = 1 << 16;
/** All documents of the same values have the same bytes. */
const MTIME = new Date(1980, 0, 1);
const COMPRESSION_LEVEL = 2;

/** Creates the renderer of a checked workbook. */
export function createXlsxRenderer(
  document: DocumentPackage,
  { timeZone }: { timeZone: string },
): DocumentRenderer {
  const { sheets, workbookPath } = readWorkbook(document);
  const dateStyles = readDateStyles(document);
  const context: FormatContext = { timeZone };
  const templates = new Map<SheetCell, CellTemplate>();
  const getTemplate = (cell: SheetCell): CellTemplate => {
    const template = templates.get(cell) ?? compileCell(cell);
    templates.set(cell, template);
    return template;
  };
  const listsRows = sheets.some(({ rows }) => rows.some(({ isRepeated }) => isRepeated));

  /** Writes the worksheets of one document. */
  function createWriter(shared: ReportRecord, entries: readonly ReportRecord[]) {
    const count = Math.max(1, entries.length);
    const repeatedRows = new Map<string, RepeatedRow[]>(
      sheets.map(({ name, rows }) => [
        name.toLowerCase(),
        rows.filter(({ isRepeated }) => isRepeated).map(({ row }) => ({ row, count })),
      ]),
    );
    const findRepeated = (sheet: string) => repeatedRows.get(sheet.toLowerCase()) ?? [];

    function formatCell(
      cell: SheetCell,
      sheet: Sheet,
      {
        number,
        record,
        copy,
      }: { number: number; record: ReportRecord; copy: { row: number; at: number } | undefined },
    ): string {
      const { s: style, cm: _cm, vm: _vm, t: type } = cell.attributes;
      const attributes = ` r="${cell.column}${number}"${style === undefined ? '' : ` s="${escapeXml(style)}"`}`;
      const { formula } = cell;
      if (formula) {
        const text = moveFormula(formula.text, sheet.name, findRepeated, copy);
        const { ref, ...rest } = formula.attributes;
        const moved = ref === undefined ? rest : { ...rest, ref: moveRange(ref, findRepeated(sheet.name)) };
        // The program calculates the value, because the one of the template is out of date.
        return `<c${attributes}>${serializeTag('f', moved)}${escapeXml(text)}</f></c>`;
      }
      if (cell.marks.length === 0)
        return `<c${attributes}${type === undefined ? '' : ` t="${escapeXml(type)}"`}>${cell.content}</c>`;
      const { parts, only } = getTemplate(cell);
      if (only)
        return formatValueCell(
          attributes,
          evaluate(only, record, context),
          context,
          dateStyles.has(Number(style)),
        );
      return formatTextCell(attributes, fillText(parts, record, context));
    }

    function formatRow(
      sheet: Sheet,
      row: SheetRow,
      number: number,
      record: ReportRecord,
      copy: { row: number; at: number } | undefined,
    ): string {
      const cells = row.cells.map((cell) => formatCell(cell, sheet, { number, record, copy })).join('');
      return `<row r="${number}"${row.attributes}>${cells}</row>`;
    }

    function* formatSheet(sheet: Sheet): Generator<string> {
      const repeated = findRepeated(sheet.name);
      const outside = listsRows ? shared : { ...shared, ...entries[0] };
      let chunk = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${sheet.head}`;
      let offset = 0;
      for (const row of sheet.rows) {
        const copies = row.isRepeated ? count : 1;
        for (let at = 0; at < copies; at += 1) {
          const record = row.isRepeated ? { ...shared, ...entries[at] } : outside;
          const copy = row.isRepeated ? { row: row.row, at } : undefined;
          chunk += formatRow(sheet, row, row.row + offset + at, record, copy);
          if (chunk.length < CHUNK_LENGTH) continue;
          yield chunk;
          chunk = '';
        }
        offset += copies - 1;
      }
      yield chunk + moveTail(sheet.tail, sheet.name, repeated, findRepeated);
    }

    const moveFormulas = (xml: string) =>
      xml.replaceAll(
        /(<(?:\w+:)?(?:f|definedName|formula1?|formula2)(?:\s[^>]*)?>)([^<]*)(<\/)/g,
        (_, open: string, formula: string, close: string) =>
          `${open}${moveFormula(formula, '', findRepeated)}${close}`,
      );

    return { formatSheet, moveFormulas, findRepeated };
  }

  return {
    async render(shared, entries) {
      const writer = createWriter(shared, entries);
      const sheetsByPath = new Map(sheets.map((sheet) => [sheet.path, sheet]));
      const zip = new ZipFile();
      const written = buffer(zip.outputStream);
      const options = { mtime: MTIME, compressionLevel: COMPRESSION_LEVEL };
      const tableRows = listTables(document, sheets);
      for (const [path, content] of document.members) {
        if (/(?:^|\/)calcChain\.xml$/i.test(path)) continue;
        const sheet = sheetsByPath.get(path);
        const tableSheet = tableRows.get(path);
        if (sheet) {
          const stream = Readable.from(encode(writer.formatSheet(sheet)), { objectMode: false });
          zip.addReadStream(stream, path, options);
          await once(stream, 'end');
        } else if (tableSheet !== undefined)
          zip.addBuffer(
            Buffer.from(moveTable(decodeXml(path, content), writer.findRepeated(tableSheet))),
            path,
            options,
          );
        else if (path === workbookPath)
          zip.addBuffer(
            Buffer.from(requireCalculation(writer.moveFormulas(decodeXml(path, content)))),
            path,
            options,
          );
        else if (/^xl\/charts\/[^/]+\.xml$/i.test(path))
          zip.addBuffer(Buffer.from(writer.moveFormulas(decodeXml(path, content))), path, options);
        else if (/\.rels$/i.test(path) || path === '[Content_Types].xml')
          zip.addBuffer(Buffer.from(dropCalculationChain(decodeXml(path, content))), path, options);
        else zip.addBuffer(content, path, options);
      }
      zip.end();
      return written;
    },
  };
}

function* encode(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

/** Worksheet of each table by the path of the table. */
function listTables(document: DocumentPackage, sheets: readonly Sheet[]): Map<string, string> {
  return new Map(
    sheets.flatMap(({ name, path }) =>
      [...readRelations(document, path).values()]
        .filter((target) => /^xl\/tables\//i.test(target))
        .map((target) => [target, name] as const),
    ),
  );
}

const moveTable = (xml: string, repeated: readonly RepeatedRow[]): string =>
  xml.replaceAll(
    /(\sref=")([^"]*)(")/g,
    (_, open: string, range: string, close: string) => `${open}${moveRange(range, repeated)}${close}`,
  );

/** Moves merged cells, validations, links and conditional formats; merged cells of a repeated row are repeated. */
function moveTail(
  tail: string,
  sheet: string,
  repeated: readonly RepeatedRow[],
  findRepeated: (sheet: string) => readonly RepeatedRow[],
): string {
  if (repeated.length === 0) return tail;
  return tail
    .replaceAll(
      /<((?:\w+:)?mergeCell) ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"(?:\/>|><\/\1>)/g,
      (whole: string, tag: string, from: string, top: string, to: string, bottom: string) => {
        const row = repeated.find((each) => each.row === Number(top) && top === bottom);
        if (!row) return whole;
        const first = Number(moveRange(`A${top}`, repeated).slice(1));
        return Array.from(
          { length: row.count },
          (_, at) => `<${tag} data-moved="${from}${first + at}:${to}${first + at}"/>`,
        ).join('');
      },
    )
    .replaceAll(
      /(\s(?:ref|sqref)=")([^"]*)(")/g,
      (_, open: string, ranges: string, close: string) => `${open}${moveRanges(ranges, repeated)}${close}`,
    )
    .replaceAll('data-moved=', 'ref=')
    .replaceAll(/(<mergeCells)\scount="\d+"/g, '$1')
    .replaceAll(
      /(<(?:\w+:)?(?:formula|formula1|formula2)(?:\s[^>]*)?>)([^<]*)(<\/)/g,
      (_, open: string, formula: string, close: string) =>
        `${open}${moveFormula(formula, sheet, findRepeated)}${close}`,
    );
}

/** Lets the program calculate all formulas when the workbook is opened. */
function requireCalculation(xml: string): string {
  const calculation = /<(?:\w+:)?calcPr\b[^>]*?(\/?)>/.exec(xml)?.[0];
  if (calculation === undefined)
    return xml.includes('<definedNames') || xml.includes('</sheets>')
      ? xml.replace(/(<\/definedNames>|<\/sheets>(?![^]*<\/definedNames>))/, '$1<calcPr fullCalcOnLoad="1"/>')
      : xml;
  const kept = calculation.replace(/\sfullCalcOnLoad="[^"]*"/, '');
  return xml.replace(calculation, kept.replace(/(\/?>)$/, ' fullCalcOnLoad="1"$1'));
}

const dropCalculationChain = (xml: string): string =>
  xml.replaceAll(
    /<(?:Relationship|Override)\b[^>]*calcChain[^>]*(?:\/>|><\/(?:Relationship|Override)>)/g,
    '',
  );
