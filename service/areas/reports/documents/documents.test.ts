import { createHash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import readBook from 'read-excel-file/universal';
import { describe, expect, test } from 'vitest';
import {
  docxFiles,
  listMembers,
  makeDocx,
  makeDocxWithPicture,
  makeXlsx,
  packFiles,
  paragraph,
  pictureRun,
  readMember,
  readMemberBytes,
  table,
  tableRow,
  xlsxFiles,
} from '../../../testing/files/documents.ts';
import { makePng } from '../../../testing/files/pictures.ts';
import type { ReportRecord, ReportValue } from '../language/values.ts';
import { createDocxRenderer, inspectDocx } from './docx.ts';
import { PACKAGE_LIMITS, readPackage, RefusedFileError } from './package.ts';
import { inspectFile, withTemplate } from './renderer.ts';
import { moveFormula } from './sheet-references.ts';
import { createXlsxRenderer, inspectXlsx } from './xlsx.ts';

const text = (value: string): ReportValue => ({ kind: 'text', text: value });
const OPTIONS = { listsRows: false, timeZone: 'UTC' };

async function fillDocx(
  bytes: Buffer,
  entries: ReportRecord[],
  listsRows = false,
  shared: ReportRecord = {},
) {
  const renderer = createDocxRenderer(await readPackage(bytes), { ...OPTIONS, listsRows });
  return readMember(await renderer.render(shared, entries), 'word/document.xml');
}

/** Texts of the paragraphs of a document. */
const listParagraphs = (xml: string) =>
  [...xml.matchAll(/<w:p>.*?<\/w:p>/g)].map(([part]) =>
    part.replaceAll('<w:br/>', '\n').replaceAll(/<[^>]*>/g, ''),
  );

async function fillXlsx(bytes: Buffer, entries: ReportRecord[], shared: ReportRecord = {}) {
  const renderer = createXlsxRenderer(await readPackage(bytes), { timeZone: 'UTC' });
  return renderer.render(shared, entries);
}

describe('text documents', () => {
  test('placeholders that Word has divided into runs; text is text, in any script and of any length', async () => {
    const bytes = await makeDocx(paragraph('Dear {Na', 'me', ' | up', 'per}, {$date | date:‘d MMM’}'));
    const long = 'line\n'.repeat(200_000);
    const shared = { $date: { kind: 'day', day: '2026-03-01' } } as const;
    const values = ['<b>A & B</b>{Name}', 'שלום 🧑‍🚀', 'a\u0001b\ud800', '=cmd|x', long];
    const shown = await Promise.all(
      values.map(
        async (value) => listParagraphs(await fillDocx(bytes, [{ ...shared, name: text(value) }]))[0],
      ),
    );
    expect(shown).toEqual([
      'Dear &lt;B&gt;A &amp; B&lt;/B&gt;{NAME}, 1 Mar',
      'Dear שלום 🧑‍🚀, 1 Mar',
      'Dear AB\ufffd, 1 Mar',
      'Dear =CMD|X, 1 Mar',
      `Dear ${long.toUpperCase()}, 1 Mar`,
    ]);
  });

  test('conditions, rows of a table, and a section for each entry', async () => {
    const conditional = await makeDocx(
      paragraph('{#if Note}') +
        paragraph('Note: {Note}') +
        paragraph('{/if}') +
        paragraph('{#if not Note}none{/if}'),
    );
    expect(listParagraphs(await fillDocx(conditional, [{ note: text('x') }]))).toEqual(['Note: x', '']);
    expect(listParagraphs(await fillDocx(conditional, [{}]))).toEqual(['none']);
    const rows = await makeDocx(
      paragraph('{$count} companies') +
        table(tableRow('Name', 'City'), tableRow('{#rows}{Name}', '{City}{/rows}')),
    );
    const entries: ReportRecord[] = [{ name: text('A'), city: text('Oslo') }, { name: text('B') }];
    expect(
      listParagraphs(await fillDocx(rows, entries, true, { $count: { kind: 'number', value: 2 } })),
    ).toEqual(['2 companies', 'Name', 'City', 'A', 'Oslo', 'B', '']);
    const xml = await fillDocx(await makeDocx(paragraph('{Name}'), { header: 'Report {$template}' }), [
      { name: text('A') },
      { name: text('B') },
    ]);
    expect(listParagraphs(xml)).toEqual(['A', '', 'B']);
    // Every section has the header.
    expect(xml.match(/<w:sectPr><w:headerReference/g)).toHaveLength(2);
  });

  test('texts with their places', async () => {
    const bytes = await makeDocx(paragraph('{A', '}') + table(tableRow('x', '{B}')), { header: '{C}' });
    expect(
      inspectDocx(await readPackage(bytes)).texts.map(({ part, place, text: shown, row, marks }) => [
        part,
        place,
        shown,
        row !== null,
        marks.length,
      ]),
    ).toEqual([
      ['Document', 'paragraph 1', '{A}', false, 1],
      ['Document', 'paragraph 2', 'x', true, 0],
      ['Document', 'paragraph 3', '{B}', true, 1],
      ['Header 1', 'paragraph 1', '{C}', false, 1],
    ]);
  });
});

const toPicture = (bytes: Buffer, type = 'image/png'): ReportValue => ({
  kind: 'picture',
  name: 'logo.png',
  type,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes,
});
/** A document whose row of a table repeats a picture. */
const makePictureRows = (alternativeText: string) =>
  makeDocxWithPicture(
    table(
      `<w:tr><w:tc><w:tcPr/>${paragraph('{#rows}{Name}')}</w:tc><w:tc><w:tcPr/><w:p>${pictureRun(alternativeText)}<w:r><w:t>{/rows}</w:t></w:r></w:p></w:tc></w:tr>`,
    ),
    makePng(2, 1),
  );

describe('pictures', () => {
  test('become the images of their entries, in the frame of the template', async () => {
    const options = { ...OPTIONS, listsRows: true, pictures: ['logo'] };
    const renderer = createDocxRenderer(await readPackage(await makePictureRows('{Logo}')), options);
    const square = makePng(100, 100);
    const entries: ReportRecord[] = [
      { name: text('A'), logo: toPicture(square) },
      { name: text('B') },
      { name: text('C'), logo: { kind: 'list', items: [toPicture(square), toPicture(makePng(1, 1))] } },
      { name: text('D'), logo: toPicture(Buffer.from('RIFF'), 'image/webp') },
      { name: text('E'), logo: toPicture(makePng(300, 100), 'image/png') },
    ];
    const file = await renderer.render({}, entries);
    const xml = await readMember(file, 'word/document.xml');
    expect(listParagraphs(xml)).toEqual(['A', '', 'B', '', 'C', '', 'D', '', 'E', '']);
    const ids = [...xml.matchAll(/r:embed="([^"]*)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size, ids[0] === ids[1]]).toEqual([3, 2, true]);
    expect(new Set([...xml.matchAll(/<wp:docPr id="(\d+)"/g)].map(([, id]) => id)).size).toBe(3);
    // The proportions of the image stay: a square is as high as the frame, a wide one as wide.
    expect(
      [...xml.matchAll(/<(?:wp:extent|a:ext) cx="(\d+)" cy="(\d+)"/g)].map(([, ...size]) => size),
    ).toEqual(
      [
        ['635000', '635000'],
        ['635000', '635000'],
        ['1270000', '423333'],
      ].flatMap((size) => [size, size]),
    );
    expect(xml).not.toMatch(/srcRect|steward-picture/);
    const related = await readMember(file, 'word/_rels/document.xml.rels');
    const target = new RegExp(`Id="${ids[0]}"[^>]*Target="/([^"]*)"`).exec(related)?.[1] ?? '';
    expect((await readMemberBytes(file, target)).equals(square)).toBe(true);
    expect((await listMembers(file)).filter((name) => name.startsWith('word/media/'))).toHaveLength(3);
    // The result passes the checks that refuse hostile files.
    await readPackage(file);
  });

  test('JPEG and GIF files get their media type, and sections of several entries their pictures', async () => {
    const jpeg = Buffer.from('ffd8ffe000040000ffc0000b080003000201011100', 'hex');
    const template = await makeDocxWithPicture(`<w:p>${pictureRun(' {Parent.Logo} ')}</w:p>`, makePng(1, 1));
    const renderer = createDocxRenderer(await readPackage(template), {
      ...OPTIONS,
      pictures: ['parent.logo'],
    });
    const file = await renderer.render({}, [
      { 'parent.logo': toPicture(jpeg, 'image/jpeg') },
      { 'parent.logo': toPicture(makePng(2, 2)) },
    ]);
    expect(await readMember(file, '[Content_Types].xml')).toMatch(
      /<Default Extension="jpeg" ContentType="image\/jpeg"\/>.*Extension="png"/,
    );
    expect((await readMember(file, 'word/document.xml')).match(/r:embed="steward/g)).toHaveLength(2);
  });

  test('are placeholders where their alternative text is one, and stay otherwise', async () => {
    const marks = async (alternativeText: string) =>
      inspectDocx(await readPackage(await makePictureRows(alternativeText))).texts.flatMap(
        ({ marks: list }) => list,
      );
    expect(await marks('{Logo}')).toContainEqual({ offset: 0, length: 6, text: '{Logo}', isPicture: true });
    expect((await marks('The {Logo} of us')).filter(({ isPicture }) => isPicture)).toEqual([]);
    const unknown = await fillDocx(
      await makePictureRows('{Logo}'),
      [{ name: text('A'), logo: text('x') }],
      true,
    );
    expect(unknown).toContain('r:embed="rId9"');
  });
});

const findRepeated = (sheet: string) => (sheet === 'List' ? [{ row: 5, count: 3 }] : []);

describe('workbooks', () => {
  const TEMPLATE = [
    ['Report of {$template}'],
    ['Name', 'Founded', 'Price', 'Double'],
    ['{#rows}{Name}', '{Founded}', '{Price}', '=C3*2+C$5', 'No. {$number}{/rows}'],
    ['Total', '', '=SUM(C3:C3)'],
    [5, 6, 7],
  ];
  const options = {
    style: (column: number, row: number) => (row === 2 && column === 1 ? 1 : undefined),
    tail: '<mergeCells count="2"><mergeCell ref="D3:E3"/><mergeCell ref="A4:B4"/></mergeCells>',
  };

  test('rows are repeated; values keep their type, and texts never become formulas', async () => {
    const file = await fillXlsx(
      await makeXlsx(TEMPLATE, options),
      [
        {
          name: text("=cmd|'/C calc'!A0"),
          founded: { kind: 'day', day: '2020-05-01' },
          price: { kind: 'money', value: 5, currency: 'EUR' },
          $number: { kind: 'number', value: 1 },
        },
        {
          name: text('שלום 🧑‍🚀 <&>\u0001'),
          price: { kind: 'number', value: 7 },
          $number: { kind: 'number', value: 2 },
        },
      ],
      { $template: text('A & B') },
    );
    const [sheet] = await readBook(new Uint8Array(file).buffer, { trim: false });
    expect(sheet?.data).toEqual([
      ['Report of A & B', null, null, null, null],
      ['Name', 'Founded', 'Price', 'Double', null],
      ["=cmd|'/C calc'!A0", new Date('2020-05-01T00:00:00Z'), 5, null, 'No. 1'],
      ['שלום 🧑‍🚀 <&>', null, 7, null, 'No. 2'],
      ['Total', null, null, null, null],
      [5, 6, 7, null, null],
    ]);
    const xml = await readMember(file, 'xl/worksheets/sheet1.xml');
    expect([...xml.matchAll(/<f>([^<]*)<\/f>/g)].map(([, formula]) => formula)).toEqual([
      'C3*2+C$6',
      'C4*2+C$6',
      'SUM(C3:C4)',
    ]);
    expect([...xml.matchAll(/<mergeCell ref="([^"]*)"/g)].map(([, range]) => range)).toEqual([
      'D3:E3',
      'D4:E4',
      'A5:B5',
    ]);
    expect(await readMember(file, 'xl/workbook.xml')).toContain('<calcPr fullCalcOnLoad="1"/>');
  });

  test('without entries the row stays empty, and sums with it; without rows a workbook shows one entry', async () => {
    const empty = await fillXlsx(await makeXlsx(TEMPLATE, options), []);
    expect(await readMember(empty, 'xl/worksheets/sheet1.xml')).toContain('<f>SUM(C3:C3)</f>');
    const single = await fillXlsx(await makeXlsx([['{Name}', '{#if Name}yes{/if}{#if not Name}no{/if}']]), [
      { name: text('x'.repeat(40_000)) },
    ]);
    const [sheet] = await readBook(new Uint8Array(single).buffer);
    const [[name, condition] = []] = sheet?.data ?? [];
    expect([String(name).length, condition]).toEqual([32_767, 'yes']);
  });

  test.each([
    ['A1+A5+A9', 'A1+A5+A11'],
    ['SUM($A$5:A$9)', 'SUM($A$5:A$11)'],
    ['"A9"&B10', '"A9"&B12'],
    ["Other!A9+'List'!A9+'A B'!A9", "Other!A9+'List'!A11+'A B'!A9"],
    ['LOG10(A9)+_A9+A9B', 'LOG10(A11)+_A9+A9B'],
    ['SUM(B:B)', 'SUM(B:B)'],
  ])('the formula %s becomes %s when row 5 becomes three', (before, after) => {
    expect(moveFormula(before, 'List', findRepeated)).toBe(after);
  });

  test('rows and cells without a reference follow those before them', async () => {
    const files = xlsxFiles([
      ['{#rows}{Name}', '{City}{/rows}'],
      [1, 2],
    ]);
    const path = 'xl/worksheets/sheet1.xml';
    files[path] = files[path]?.replaceAll(/ r="(?!B2)[^"]*"/g, '').replace(' r="B2"', ' r="AZ2"') ?? '';
    files[path] = files[path].replace('</row></sheetData>', '<c><v>3</v></c></row></sheetData>');
    const template = await readPackage(await packFiles(files));
    expect(inspectXlsx(template).texts.map(({ place }) => place)).toEqual(['A1', 'B1']);
    const filled = await readMember(
      await fillXlsx(await packFiles(files), [{ name: text('x') }, { name: text('y') }]),
      path,
    );
    expect([...filled.matchAll(/ r="([^"]*)"/g)].map(([, at]) => at)).toEqual(
      '1 A1 B1 2 A2 B2 3 A3 AZ3 BA3'.split(' '),
    );
  });

  test('a shared formula cannot be repeated', async () => {
    const files = xlsxFiles([['{#rows}{Name}{/rows}', '=A1']]);
    const path = 'xl/worksheets/sheet1.xml';
    files[path] = files[path]?.replace('<f>', '<f t="shared" ref="B1:B2" si="0">') ?? '';
    expect(inspectXlsx(await readPackage(await packFiles(files))).faults).toMatchObject([
      { message: expect.stringContaining('B1') as unknown },
    ]);
  });
});

const relation = (type: string, target: string, mode = ' TargetMode="External"') =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://x/${type}" Target="${target}"${mode}/></Relationships>`;
const field = (code: string) =>
  docxFiles(
    `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code.slice(0, 3)}</w:instrText></w:r><w:r><w:instrText>${code.slice(3)}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
  );

describe('files that are refused', () => {
  const base = docxFiles(paragraph('{Name}'));
  const RELS = 'word/_rels/document.xml.rels';

  test.each<[string, () => Promise<Buffer>, RegExp]>([
    ['text', async () => Buffer.from('hello'), /not a document that can be read: .*[^.]\.$/],
    ['a ZIP archive', () => packFiles({ 'a.txt': 'x' }), /not a \.docx or \.xlsx/],
    ['macros', () => packFiles({ ...base, 'word/vbaProject.bin': 'x' }), /has macros/],
    [
      'a document with the type of macros',
      () =>
        packFiles({
          ...base,
          '[Content_Types].xml':
            base['[Content_Types].xml']?.replace(
              'vnd.openxmlformats-officedocument.wordprocessingml.document.main',
              'vnd.ms-word.document.macroEnabled.main',
            ) ?? '',
        }),
      /has macros/,
    ],
    [
      'a document of another type',
      () =>
        packFiles({
          ...base,
          '[Content_Types].xml':
            base['[Content_Types].xml']?.replace(/[^"]*document\.main\+xml/, 'constructor') ?? '',
        }),
      /not a \.docx or \.xlsx/,
    ],
    [
      'an attached template',
      () => packFiles({ ...base, [RELS]: relation('attachedTemplate', 'https://evil.example/a.dotm') }),
      /attached to the template https:\/\/evil/,
    ],
    [
      'an external picture',
      () => packFiles({ ...base, [RELS]: relation('image', 'file://server/a.png') }),
      /external image file:\/\/server/,
    ],
    [
      'a link that runs a script',
      () => packFiles({ ...base, [RELS]: relation('hyperlink', 'javascript:x') }),
      /external hyperlink/,
    ],
    [
      'an embedded object',
      () => packFiles({ ...base, 'word/embeddings/oleObject1.bin': 'x' }),
      /embedded object/,
    ],
    ['a field that reads a file', () => packFiles(field(' INCLUDETEXT "c:/x"')), /INCLUDETEXT/],
    ['a field that starts a program', () => packFiles(field('DDEAUTO cmd')), /has a DDE field/],
    [
      'a document type with entities',
      () =>
        packFiles({
          ...base,
          'word/document.xml': `<!DOCTYPE a [<!ENTITY x "y">]>${base['word/document.xml']?.replace(/^<\?xml[^>]*>/, '') ?? ''}`,
        }),
      /document type definition/,
    ],
    [
      'broken XML',
      () => packFiles({ ...base, 'word/document.xml': '<w:document><w:body></w:document>' }),
      /not well-formed/,
    ],
    [
      'another encoding',
      () => packFiles({ ...base, 'word/a.xml': '<?xml version="1.0" encoding="UTF-16"?><a/>' }),
      /UTF-8/,
    ],
    [
      'deep nesting',
      () => packFiles({ ...base, 'word/a.xml': `${'<a>'.repeat(300)}${'</a>'.repeat(300)}` }),
      /too deeply/,
    ],
    ['a formula that starts a program', () => makeXlsx([["=cmd|'/C calc'!A0"]]), /starts another program/],
    [
      'links to other workbooks',
      () => packFiles({ ...xlsxFiles([['x']]), 'xl/externalLinks/externalLink1.xml': '<a/>' }),
      /refers to other workbooks/,
    ],
    [
      'data connections',
      () => packFiles({ ...xlsxFiles([['x']]), 'xl/connections.xml': '<a/>' }),
      /data connections/,
    ],
    [
      'a ZIP bomb',
      () => packFiles({ ...base, 'word/media/a.png': Buffer.alloc(PACKAGE_LIMITS.memberBytes + 1) }),
      /unpacks to/,
    ],
    [
      'too many members',
      () =>
        packFiles(
          Object.fromEntries(Array.from({ length: PACKAGE_LIMITS.members + 1 }, (_, at) => [`a${at}`, ''])),
        ),
      /members; at most/,
    ],
  ])('%s', async (_name, make, reason) => {
    const error: unknown = await readPackage(await make()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RefusedFileError);
    expect(Object(error).message).toMatch(reason);
  });

  test('a path that leaves the folder, and a name twice', async () => {
    // The writer refuses such names: they are replaced in the archive, which stores each twice.
    const archive = await packFiles({ ...base, 'aaaaaaaa.xml': '<a/>', 'bbbbbbbb.xml': '<a/>' });
    const rename = (from: string, to: string) =>
      Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');
    await expect(readPackage(rename('aaaaaaaa.xml', '../../a1.xml'))).rejects.toThrow(/\.\.\/\.\.\/a1\.xml/);
    await expect(readPackage(rename('aaaaaaaa.xml', 'bbbbbbbb.xml'))).rejects.toThrow(/twice/);
  });
});

describe('the thread', () => {
  test('fills documents for several entries, and ends with its work', async () => {
    const bytes = await makeDocx(paragraph('{$template}: {Name}'));
    expect((await inspectFile(bytes)).texts).toHaveLength(1);
    const documents = await withTemplate(bytes, OPTIONS, (renderer) =>
      renderer.renderEach({ $template: text('T') }, [{ name: text('A') }, { name: text('B') }]),
    );
    const shown = await Promise.all(
      documents.map(
        async (document) => listParagraphs(await readMember(Buffer.from(document), 'word/document.xml'))[0],
      ),
    );
    expect(shown).toEqual(['T: A', 'T: B']);
    expect(await listMembers(Buffer.from(documents[0] ?? []))).toEqual(
      expect.arrayContaining(await listMembers(bytes)) as unknown,
    );
  });

  test('gets entries in their order before it has opened the template, and none is left', async () => {
    const threads = new Set<Worker>();
    let started = 0;
    const note = (thread: Worker) => {
      started += 1;
      threads.add(thread);
      thread.once('exit', () => threads.delete(thread));
    };
    process.on('worker', note);
    try {
      const bytes = await makeXlsx([['{#rows}{Name}', '{$hash}{/rows}']]);
      const names = Array.from({ length: 60 }, (_, at) => `N${at}`);
      const document = await withTemplate(bytes, { ...OPTIONS, listsRows: true }, async (renderer) => {
        await Promise.all(names.map((name) => renderer.add([{ name: text(name) }])));
        return renderer.finish({ $hash: text('h') });
      });
      const [sheet] = await readBook(new Uint8Array(document).buffer);
      expect(sheet?.data).toEqual(names.map((name) => [name, 'h']));
      const refused = withTemplate(Buffer.from('no template'), OPTIONS, (renderer) =>
        renderer.add([{ name: text('A') }]),
      );
      await expect(refused).rejects.toMatchObject({ status: 400 });
      expect([started, threads.size]).toEqual([2, 0]);
    } finally {
      process.off('worker', note);
    }
  });

  test('a thread that needs too much memory ends alone, and the next one works', async () => {
    const bytes = await makeDocx(paragraph('{#rows}{Name}{/rows}'));
    const fill = (length: number) =>
      withTemplate(bytes, { ...OPTIONS, listsRows: true }, async (renderer) => {
        for (let at = 0; at < 150; at += 1) await renderer.add([{ name: text('x'.repeat(length)) }]);
        return renderer.finish({});
      });
    await expect(fill(3_000_000)).rejects.toMatchObject({
      status: 400,
      message: 'The document needs more than 256 MiB of memory.',
    });
    expect((await fill(1)).length).toBeGreaterThan(0);
  });

  test('a file that takes too long is refused, and an aborted request ends the thread', async () => {
    const bytes = await makeDocx(paragraph('{Name}'));
    await expect(inspectFile(bytes, { timeMs: 0 })).rejects.toMatchObject({ status: 400 });
    const reason = new Error('aborted');
    await expect(inspectFile(bytes, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
