import type { EntryType, SchemaField, StoredValue, StoredValues } from '../../areas/schema/index.ts';
import type { Random } from './random.ts';

/** Data from which values are drawn. */
export interface DrawContext {
  userIds: readonly number[];
  /** Ids of the entries in the order of their creation; entries refer only to earlier ones. */
  entryIds: readonly number[];
  /** Timestamp of the end of the data, in milliseconds. */
  asOf: number;
}

const DAY_MS = 86_400_000;
/** Time from the creation of the first entry to the end of the data. */
const HISTORY_MS = 6 * 365 * DAY_MS;

const SYLLABLES =
  'al an ar bel bor cal cor dan del dor el en far fen gal gor hal hen il in jor kal ken lan lor mar mer nal nor ol or pel ral ros sal sen tal tor ul val ven wil yor zan'.split(
    ' ',
  );
const COMPANY_SUFFIXES =
  'Works Systems Partners Foods Energy Labs Capital Motors Textiles Media Logistics Health Optics Mining Print Steel Paper Software Marine Air Rail Water Seeds Glass Robotics'.split(
    ' ',
  );
const LEGAL_FORMS = ['Inc.', 'AG', 'Ltd', 'GmbH', 'SA', 'plc', '& Co.', ''];
/** Cities of companies. */
export const CITIES =
  'Zürich Genève Basel Wien Graz Berlin Hamburg München Köln Paris Lyon Nantes London Leeds Dublin Oslo Bergen Malmö Århus Helsinki Tallinn Riga Praha Brno Kraków Gdańsk Milano Torino Lisboa Porto Madrid Sevilla Boston Chicago Austin Denver Toronto Montréal Tokyo Osaka Singapore Sydney'.split(
    ' ',
  );
const WORDS =
  'account advice agreement annual approach asset board branch brand budget buyer capital carbon chain change client cloud coast company contract cost credit crew customer data deal debt delivery demand design device district domain draft drive early earnings engine equity estate export factory family farm field final firm fleet focus forest founder freight fuel fund future garden global goods grain grid growth harbour health heavy hotel import income index industry insight interest invoice island labour later leader lease ledger legal level light line local lower machine maker margin market member merger metal mobile model money motor network north notes office open option order output owner panel paper partner patent payment people phone pilot plan plant platform pledge portfolio power premium price process product profit project property public quality quarter range rapid rate ready record region rental report research reserve retail review risk river route rural sales sample scale school season second sector secure seller senior series service share shipping shop signal silver simple single site small social solar source south spring staff stage station steady stock storage store street strong supply system table target team tender terms thermal timber tool trade training transit travel treasury trust turbine union unit update upper urban value vendor venture village vision volume warehouse water wave west wind winter yard yield'.split(
    ' ',
  );
const CURRENCIES = ['EUR', 'USD', 'CHF', 'GBP'];

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const drawWord = (random: Random): string =>
  random.pick(SYLLABLES) + random.pick(SYLLABLES) + random.pick(SYLLABLES);

/** A random amount from `least` to 1000 times that, uniformly distributed on a logarithmic scale. */
export const drawAmount = (random: Random, minimum: number): number =>
  Math.round(minimum * 10 ** (3 * random.next()));
export const drawMoney = (random: Random, minimum: number): StoredValue => ({
  value: drawAmount(random, minimum) * 1000,
  currencyCode: random.pick(CURRENCIES),
});
export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A random company name: an invented word, an industry, and usually a legal form. */
export function drawCompanyName(random: Random): string {
  const form = random.pick(LEGAL_FORMS);
  return `${capitalize(drawWord(random))} ${random.pick(COMPANY_SUFFIXES)}${form && ` ${form}`}`;
}

/** A random sentence with one invented word: searching for it finds few entries, searching for other words very many. */
export function drawSentence(random: Random): string {
  const words = Array.from({ length: random.between(4, 8) }, () => random.pick(WORDS));
  words[random.between(1, words.length - 1)] = drawWord(random);
  return `${capitalize(words.join(' '))}.`;
}

interface DrawInput {
  random: Random;
  field: SchemaField;
  stock: DrawContext;
  /** Position of the entry in the order of creation. */
  index: number;
  name: string;
}

const drawChoice = ({ random, field }: DrawInput): number => random.pick([...field.choices.keys()]);

function drawChoices({ random, field }: DrawInput): readonly number[] | undefined {
  const chosen = [...field.choices.keys()].filter(() => random.chance(0.15));
  return chosen.length > 0 ? chosen : undefined;
}

type Drawer = (drawn: DrawInput) => StoredValue | undefined;

/** Functions that draw the value of a field, by apiName; undefined for no data. */
const DRAWERS: Readonly<Record<string, Drawer>> = {
  Name: ({ name }) => name,
  Stage: drawChoice,
  Region: drawChoice,
  Source: drawChoice,
  Tags: drawChoices,
  Parent: ({ random, index, stock }) =>
    index > 0 && random.chance(0.3) ? stock.entryIds[random.between(0, index - 1)] : undefined,
  Owner: ({ random, stock }) => (stock.userIds.length > 0 ? random.pick(stock.userIds) : undefined),
  Employees: ({ random }) => drawAmount(random, 5),
  Score: ({ random }) => random.between(0, 1000) / 10,
  Revenue: ({ random }) => drawMoney(random, 500),
  Valuation: ({ random }) => (random.chance(0.8) ? drawMoney(random, 2000) : undefined),
  LastContact: ({ random, stock }) =>
    random.chance(0.9) ? new Date(stock.asOf - random.between(0, 2 * 365 * DAY_MS)).toISOString() : undefined,
  Founded: ({ random, stock }) => formatDay(stock.asOf - random.between(365, 100 * 365) * DAY_MS),
  NextStep: ({ random, stock }) =>
    random.chance(0.4) ? formatDay(stock.asOf + random.between(0, 180) * DAY_MS) : undefined,
  IsClient: ({ random }) => random.chance(0.2),
  IsListed: ({ random }) => random.chance(0.1),
  City: ({ random }) => random.pick(CITIES),
  Email: ({ random, name }) =>
    `${random.pick(WORDS)}@${name.slice(0, name.indexOf(' ')).toLowerCase()}.example`,
  Phone: ({ random }) => `+41 44 555 ${random.between(10, 99)} ${random.between(10, 99)}`,
  Summary: ({ random }) => drawSentence(random),
};

/** Draws the values of an entry. */
export function drawVals(random: Random, type: EntryType, stock: DrawContext, index: number): StoredValues {
  const name = drawCompanyName(random);
  const vals: Record<string, StoredValue> = {};
  for (const field of type.fields) {
    const value = DRAWERS[field.apiName]?.({ random, field, stock, index, name });
    if (value !== undefined) vals[field.id] = value;
  }
  return vals;
}

/** Creation time of an entry: evenly distributed up to the end of the data. */
export const getCreationTime = ({ asOf, entryIds }: DrawContext, index: number): Date =>
  new Date(asOf - Math.round(HISTORY_MS * (1 - index / entryIds.length)));
