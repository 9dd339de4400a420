const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEETS = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export const BOOK_TYPE = `${SHEETS}.sheet`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

/** Formats of cells by their places in the list of styles. */
export const STYLE = { plain: 0, heading: 1, moment: 2, day: 3, whole: 4 } as const;

const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="1" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/** What stands before the rows of a sheet: its heading, where it has one, stays in view, its columns are so wide. */
export const sheetStart = (widths: readonly number[], hasHeading: boolean): string => {
  const cols = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${hasHeading ? pane : ''}</sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`;
};
export const SHEET_END = '</sheetData></worksheet>';

const MOST_NAME = 31;
// oxlint-disable-next-line no-control-regex
const NOT_IN_NAMES = /[\\/?*[\]:\0-\x1f\x7f\ufffe\uffff]/g;
/** The beginning of a name; what is cut in the middle of a character ends before it. */
const cut = (name: string, most: number): string =>
  name
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/'+$/, '');

/** Names of sheets as programs take them: not too long, each once. */
function sheetNames(names: readonly string[]): string[] {
  // Excel keeps this one for itself.
  const taken = new Set<string>(['history']);
  return names.map((name) => {
    const plain = cut(name.replaceAll(NOT_IN_NAMES, ' ').replace(/^'+/, ''), MOST_NAME) || 'Sheet';
    let own = plain;
    for (let at = 2; taken.has(own.toLowerCase()); at += 1)
      own = `${cut(plain, MOST_NAME - String(at).length - 1)} ${at}`;
    taken.add(own.toLowerCase());
    return own;
  });
}

export const sheetPath = (at: number): string => `xl/worksheets/sheet${at + 1}.xml`;

/** The files of a workbook beside its sheets (ECMA-376 part 1, 12.3). */
export function bookFiles(names: readonly string[]): readonly (readonly [path: string, text: string])[] {
  const sheets = sheetNames(names);
  const each = (line: (at: number, name: string) => string) =>
    sheets.map((name, at) => line(at + 1, name)).join('');
  const relations = (lines: string) =>
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">${lines}</Relationships>`;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEETS}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEETS}.styles+xml"/>${each((at) => `<Override PartName="/xl/worksheets/sheet${at}.xml" ContentType="${SHEETS}.worksheet+xml"/>`)}</Types>`,
    ],
    ['_rels/.rels', relations(relation('rId1', 'officeDocument', 'xl/workbook.xml'))],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView/></bookViews><sheets>${each((at, name) => `<sheet name="${escaped(name)}" sheetId="${at}" r:id="rId${at}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relations(
        each((at) => relation(`rId${at}`, 'worksheet', `worksheets/sheet${at}.xml`)) +
          relation(`rId${sheets.length + 1}`, 'styles', 'styles.xml'),
      ),
    ],
    ['xl/styles.xml', STYLES],
  ];
}
