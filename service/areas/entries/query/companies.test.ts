import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { beforeAll, expect, test } from 'vitest';
import type { FieldVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { ApiClient } from '../../../testing/calls.ts';
import { DATA, makeEntryType, type Row, SCHEMA } from '../../../testing/entries/entries.ts';
import { as, makePerson, makeSite, onEachApp } from '../../../testing/site.ts';

/** Companies of a stock index, with real names, places, dates, numbers and sectors. */
const FILE = fileURLToPath(new URL('../../../../../shared/data/sp500-companies.csv', import.meta.url));

const NEEDS = 'needs sp500-companies.csv beside the repository';

type Company = Readonly<
  Record<
    'Symbol' | 'Security' | 'GICS Sector' | 'Headquarters Location' | 'Date added' | 'CIK' | 'Founded',
    string
  >
>;

const readCompanies = (): Company[] =>
  existsSync(FILE)
    ? Papa.parse<Company>(readFileSync(FILE, 'utf8'), { header: true, skipEmptyLines: true }).data
    : [];

const companies = readCompanies();
const sectors = [...new Set(companies.map((company) => company['GICS Sector']))].toSorted();
/** The first year of the column; some companies have others in brackets. */
const getFoundingYear = ({ Founded }: Company): number => Number(Founded.slice(0, 4));
const getSymbols = (chosen: readonly Company[]) => chosen.map(({ Symbol: symbol }) => symbol);

const createResult = (chosen: readonly Company[]) => ({ total: chosen.length, symbols: getSymbols(chosen) });

onEachApp((context) => {
  let api: ApiClient;
  let sectorIds: Map<string, number>;

  beforeAll(async () => {
    if (companies.length === 0) return;
    const { db, app } = context();
    api = as(app, await makePerson(db, await makeSite(db)));
    await makeEntryType(api, 'Company', {
      Symbol: { fieldType: FIELD.text },
      Headquarters: { fieldType: FIELD.text, isSearchable: true },
      Sector: { fieldType: FIELD.choice, choiceValues: sectors.map((name) => ({ name })) },
      Added: { fieldType: FIELD.date, isDateOnly: true },
      Founded: { fieldType: FIELD.number },
      Cik: { fieldType: FIELD.number },
    });
    const { body: fields } = await api.get<FieldVm[]>(`${SCHEMA}/entrytypes/Company/fields`);
    const idOf = new Map(fields.map(({ apiName, id }) => [apiName, id]));
    sectorIds = new Map(
      fields.flatMap(({ choiceValues }) => choiceValues ?? []).map(({ id, name }) => [name, id] as const),
    );
    const storeRequests = companies.flatMap((company, at) =>
      Object.entries({
        Name: company.Security,
        Symbol: company.Symbol,
        Headquarters: company['Headquarters Location'],
        Sector: sectorIds.get(company['GICS Sector']),
        Added: company['Date added'],
        Founded: getFoundingYear(company),
        Cik: Number(company.CIK),
      }).map(([name, value]) => ({ entryId: -1 - at, fieldId: idOf.get(name), value, ignoreNearDups: true })),
    );
    const created = await api.post(`${DATA}/entrydata/Company`, { storeRequests });
    if (created.status !== 200) throw new Error(created.text);
  });

  /** Symbols of the matching companies and the total. */
  async function queryCompanies(query: object, more: object = {}) {
    const { body } = await api.post<{ totalRecords: number; rows: Row[] }>(
      `${DATA}/entrydata/rows/query/Company`,
      { query, ...more },
    );
    return { total: body.totalRecords, symbols: body.rows.map(({ Symbol: symbol }) => symbol) };
  }

  const queries: readonly [string, () => object, (company: Company) => boolean][] = [
    ['all companies', () => ({}), () => true],
    ...sectors.map((sector): [string, () => object, (company: Company) => boolean] => [
      `companies in ${sector}`,
      () => ({ Sector: sectorIds.get(sector) }),
      (company) => company['GICS Sector'] === sector,
    ]),
    [
      'companies of the 19th century',
      () => ({ Founded: { $between: [1801, 1900] } }),
      (company) => getFoundingYear(company) > 1800 && getFoundingYear(company) <= 1900,
    ],
    [
      'companies in California',
      () => ({ Headquarters: { $endswith: ', california' } }),
      (company) => company['Headquarters Location'].endsWith(', California'),
    ],
    [
      'companies with "new" in the place',
      () => ({ Headquarters: { $contains: 'NEW' } }),
      (company) => /new/i.test(company['Headquarters Location']),
    ],
    [
      'companies with punctuation in the name',
      () => ({ $or: ['&', '.', '-', '’', "'"].map((sign) => ({ Name: { $contains: sign } })) }),
      (company) => /[&.\-’']/.test(company.Security),
    ],
    [
      'companies added since 2020 and not in technology',
      () => ({ Added: { $gte: '2020-01-01' }, Sector: { $nin: [sectorIds.get('Information Technology')] } }),
      (company) => company['Date added'] >= '2020' && company['GICS Sector'] !== 'Information Technology',
    ],
    [
      'companies added on the first day',
      () => ({ Added: '1957-03-04' }),
      (company) => company['Date added'] === '1957-03-04',
    ],
    ['a company by its number', () => ({ Cik: 66_740 }), (company) => Number(company.CIK) === 66_740],
    [
      'companies whose name begins with a',
      () => ({ Name: { $startswith: 'A' } }),
      (company) => /^a/i.test(company.Security),
    ],
  ];

  test.skipIf(companies.length === 0).each(queries)(`finds %s (${NEEDS})`, async (_, getQuery, matches) => {
    expect(await queryCompanies(getQuery())).toEqual(createResult(companies.filter(matches)));
  });

  test.skipIf(companies.length === 0)(`returns sorted pages (${NEEDS})`, async () => {
    const byAge = companies
      .map((company, at) => ({ company, at }))
      .toSorted((a, b) => getFoundingYear(a.company) - getFoundingYear(b.company) || a.at - b.at);
    const oldest = byAge.map(({ company }) => company);
    for (const skip of [0, 100, 490]) {
      const page = await queryCompanies({}, { orderBy: 'Founded', skip, limit: 20 });
      expect(page).toEqual({ total: companies.length, symbols: getSymbols(oldest.slice(skip, skip + 20)) });
    }
    const newest = companies
      .map((company, at) => ({ company, at }))
      .toSorted((a, b) => b.company['Date added'].localeCompare(a.company['Date added']) || b.at - a.at);
    const latest = await queryCompanies({}, { orderBy: '-Added', limit: 50 });
    expect(latest.symbols).toEqual(getSymbols(newest.slice(0, 50).map(({ company }) => company)));
  });

  test.skipIf(companies.length === 0)(`returns names unchanged (${NEEDS})`, async () => {
    const { body } = await api.get<{ name: string }[]>(`${DATA}/entrydata/Company/entries`);
    expect(body.map(({ name }) => name)).toEqual(companies.map(({ Security }) => Security));
  });
});
