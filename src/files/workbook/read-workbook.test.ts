import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTable } from '../read-table.ts';
import { createXmlReader } from './xml-reader.ts';
import { createZipWriter } from './zip-writer.fixture.ts';

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';

const DATES = `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd&quot; m&quot;;@"/><numFmt numFmtId="165" formatCode="[$-409]#,##0.00&quot; days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm:ss.000"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="22"/></cellXfs></styleSheet>`;
const STRINGS = `<sst ${MAIN}><si><t>Plain</t></si><si><r><rPr><b/></rPr><t>Ri</t></r><r><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>reading</t></rPh></si><si><t/></si><si><t>a_x000D_&#10;b &lt;&amp;&gt; _x005F_x0041_</t></si></sst>`;

interface Given {
  name: string;
  rows: string;
  state?: string;
}

const toStateAttribute = (state?: string) => (state === undefined ? '' : ` state="${state}"`);

/** Builds a workbook of sheets given as XML rows. */
async function book(sheets: readonly Given[], { properties = '', styles = DATES, strings = STRINGS } = {}) {
  const zip = createZipWriter('');
  const each = (line: (at: number, sheet: Given) => string) =>
    sheets.map((sheet, at) => line(at + 1, sheet)).join('');
  const files = [
    [
      '_rels/.rels',
      `<Relationships ${RELATIONS}><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="/xl/book.xml"/></Relationships>`,
    ],
    [
      'xl/book.xml',
      `<workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr${properties}/><sheets>${each((at, sheet) => `<sheet name="${sheet.name}" sheetId="${at + 7}"${toStateAttribute(sheet.state)} r:id="s${at}"/>`)}<sheet name="Chart" sheetId="90" r:id="chart"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/book.xml.rels',
      `<Relationships ${RELATIONS}>${each((at) => `<Relationship Id="s${at}" Type="${OFFICE}/worksheet" Target="worksheets/one%20${at}.xml"/>`)}<Relationship Id="chart" Type="${OFFICE}/chartsheet" Target="c.xml"/><Relationship Id="st" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="ss" Type="${OFFICE}/sharedStrings" Target="/xl/strings.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', styles],
    ['xl/strings.xml', strings],
    ...sheets.map(
      ({ rows }, at) =>
        [
          `xl/worksheets/one ${at + 1}.xml`,
          rows.startsWith('<?')
            ? rows
            : `<worksheet ${MAIN}><sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>`,
        ] as const,
    ),
  ] as const;
  for (const [path = '', text = ''] of files)
    // A file is written in order.
    await zip.add(path, text);
  return zip.end();
}

async function read(sheets: readonly Given[], more: Parameters<typeof book>[1] = {}, sheet?: number) {
  const table = await readTable(
    await book(sheets, more),
    () => undefined,
    sheet === undefined ? {} : { sheet },
  );
  if ('error' in table) throw new Error(table.error);
  return table;
}

const HEAD = '<row r="1"><c r="A1" t="str"><v>A</v></c><c r="B1" t="str"><v>B</v></c></row>';
const cells = async (row: string, more: Parameters<typeof book>[1] = {}) =>
  (await read([{ name: 'One', rows: `${HEAD}<row>${row}</row>` }], more)).rows[0]?.cells;

test('reads cells by type: shared, inline and calculated texts, numbers, booleans, errors', async () => {
  expect(await cells('<c t="s"><v>0</v></c><c t="s"><v>1</v></c>')).toEqual(['Plain', 'Rich ']);
  expect(await cells('<c t="s"><v>2</v></c><c t="s"><v>3</v></c>')).toEqual(['', 'a\r\nb <&> _x0041_']);
  expect(
    await cells(
      '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c><f>1&lt;2</f><v>1.5E3</v></c>',
    ),
  ).toEqual(['inline', '1500']);
  expect(await cells('<c t="b"><f>TRUE()</f><v>1</v></c><c t="b"><v>0</v></c>')).toEqual(['Yes', 'No']);
  expect(await cells('<c t="str"><f>"a"</f><v>_x0041_</v></c><c t="e"><v>#DIV/0!</v></c>')).toEqual([
    'A',
    '#DIV/0!',
  ]);
  expect(await cells('<c s="1"/><c t="d"><v>2026-03-01T00:00:00</v></c>')).toEqual(['', '2026-03-01']);
});

const numbers = (...texts: readonly string[]) => cells(texts.map((text) => `<c><v>${text}</v></c>`).join(''));

test('reads numbers in their shortest notation, and keeps those that are no doubles as they are written', async () => {
  expect(await numbers('1.1000000000000001', '0.10')).toEqual(['1.1', '0.1']);
  expect(await numbers('4.940656458412465E-324', '9007199254740992')).toEqual(['5e-324', '9007199254740992']);
  expect(await numbers('9007199254740993', '0.1234567890123456789')).toEqual([
    '9007199254740993',
    '0.1234567890123456789',
  ]);
});

const day = async (serial: number | string, style: number, properties = '') =>
  (await cells(`<c s="${style}"><v>${serial}</v></c>`, { properties }))?.[0];

test('reads numbers with date formats as dates, in the 1900 and 1904 systems', async () => {
  expect(await day(46_082, 1)).toBe('2026-03-01');
  expect(await day(46_082.354_166_666_664, 5)).toBe('2026-03-01T08:30:00.000');
  expect(await day(46_082, 2)).toBe('2026-03-01');
  expect(await day(44_620, 2, ' date1904="1"')).toBe('2026-03-01');
  // A number format with a word, and no format.
  expect(await day(46_082, 3)).toBe('46082');
  expect(await day(46_082, 0)).toBe('46082');
  // Times without a day, and the days around 1900-02-29, which did not exist.
  expect(await day(0.5, 4)).toBe('12:00:00');
  expect(await day(0.5, 5)).toBe('12:00:00');
  expect(await day(1.25, 4)).toBe('30:00:00');
  expect(await day(1, 1)).toBe('1900-01-01');
  expect(await day(59, 1)).toBe('1900-02-28');
  expect(await day(60, 1)).toBe('1900-02-29');
  expect(await day(61, 1)).toBe('1900-03-01');
});

test('treats rows and cells without an address as the next ones and missing ones as empty', async () => {
  const { headings, rows } = await read([
    {
      name: 'One',
      rows: `${HEAD}<row r="4"><c r="C4"><v>4</v></c></row><row><c><v>5</v></c><c r="C5" t="inlineStr"><is><t> </t></is></c></row>`,
    },
  ]);
  expect(headings).toEqual(['A', 'B', '']);
  expect(rows).toEqual([
    { row: 4, cells: ['', '', '4'] },
    { row: 5, cells: ['5', '', ' '] },
  ]);
});

test('reads prefixes, comments, special characters in attributes and CDATA', async () => {
  const rows = `<?xml version="1.0"?><!DOCTYPE x><x:worksheet xmlns:x="m"><x:sheetData><!-- <x:row> --><x:row r='1' note="a>b"><x:c r='A1' t='inlineStr'><x:is><x:t><![CDATA[<A>
]]></x:t></x:is></x:c></x:row ><x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData><x:row r="1"/></x:worksheet>`;
  expect(await read([{ name: 'a>b', rows }])).toMatchObject({
    headings: ['<A>'],
    rows: [{ row: 2, cells: ['1'] }],
  });
});

const row = (text: string) => `<row><c t="str"><v>${text}</v></c></row>`;

test('reads the first sheet with rows, visible ones first, or the chosen sheet', async () => {
  const sheets = [
    { name: 'Empty', rows: '' },
    { name: 'Lists &amp; more', rows: row('L') + row('1') + row('2'), state: 'veryHidden' },
    { name: 'Heading', rows: row('H') },
    { name: 'Data', rows: `${row('D')}<row/>${row('1')}` },
    { name: 'More', rows: row('M') + row('1') },
  ];
  const { headings, source } = await read(sheets);
  expect(headings).toEqual(['D']);
  expect(source).toEqual({
    kind: 'workbook',
    sheet: 3,
    sheets: [
      { name: 'Empty', rows: 0, isHidden: false },
      { name: 'Lists & more', rows: 2, isHidden: true },
      { name: 'Heading', rows: 0, isHidden: false },
      { name: 'Data', rows: 1, isHidden: false },
      { name: 'More', rows: 1, isHidden: false },
    ],
  });
  expect(await read(sheets, {}, 1)).toMatchObject({ headings: ['L'], source: { sheet: 1 } });
  expect((await read(sheets.slice(0, 3))).headings).toEqual(['L']);
});

const readError = async (rows: string, more?: Parameters<typeof book>[1]) => {
  const table = await readTable(await book([{ name: 'One', rows }], more), () => undefined);
  return 'error' in table ? table.error : '';
};

test('rejects invalid sheets and sheets that would exhaust memory', async () => {
  expect(await readError('')).toBe('The sheet is empty.');
  expect(await readError('<row r="1048577"><c><v>1</v></c></row>')).toContain('workbook cannot be read');
  expect(await readError('<row><c t="s"><v>99</v></c></row>')).toContain('workbook cannot be read');
  // Incomplete XML, XML without an end, and entities.
  expect(await readError('<?xml version="1.0"?><worksheet><sheetData>')).toContain('workbook cannot be read');
  expect(await readError(`<row><c><v>1</v></c><!--${' '.repeat(2 ** 24 + 2 ** 20)}--></row>`)).toContain(
    'workbook cannot be read',
  );
  expect(await readError(`${'<x>'.repeat(1001)}${'</x>'.repeat(1001)}`)).toContain('workbook cannot be read');
  const entity = '<!DOCTYPE a [<!ENTITY e "1">]><a><sheetData><row><c><v>&e;</v></c></row></sheetData></a>';
  expect(await readError(`<?xml version="1.0"?>${entity}`)).toContain('workbook cannot be read');
  const wide = '<row><c r="XFD1"><v>1</v></c></row>'.repeat(1300);
  expect(await readError(wide)).toContain('too many cells');
});

test('rejects a damaged workbook', async () => {
  const whole = new Uint8Array(
    await (await book([{ name: 'One', rows: `${HEAD}<row><c><v>1</v></c></row>` }])).arrayBuffer(),
  );
  // A wrong checksum.
  const place = whole.findLastIndex(
    (_, at) => whole[at] === 0x50 && whole[at + 1] === 0x4b && whole[at + 2] === 1,
  );
  whole[place + 16] = (whole[place + 16] ?? 0) ^ 1;
  const table = await readTable(new Blob([whole]), () => undefined);
  expect(table).toEqual({
    error: 'This workbook cannot be read. Save it as CSV and choose that file.',
  });
});

/** Events of the reader for a text in pieces, with texts joined. */
const events = (pieces: readonly string[]) => {
  const seen: string[] = [];
  let text = '';
  const put = (event: string) => {
    seen.push(text, event);
    text = '';
  };
  const reader = createXmlReader({
    open: (name, attributes) => put(`<${name}|${JSON.stringify(attributes)}`),
    close: (name) => put(`>${name}`),
    text: (more) => {
      text += more;
    },
  });
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return seen;
};

test('XML gives the same events however it is split', () => {
  const xml = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "x">]><a x="1>2" y='"'><!-- > <b> --><b/>t&amp;&#x1F600;x<![CDATA[ ]] < ]]><c  z = "3" >u</c ></a>`;
  const whole = events([xml]);
  expect(whole.join('')).toContain('t&😀x ]] < ');
  fc.assert(
    fc.property(fc.array(fc.nat(xml.length), { maxLength: 30 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), xml.length];
      expect(events(places.slice(1).map((to, at) => xml.slice(places[at], to)))).toEqual(whole);
    }),
  );
});
